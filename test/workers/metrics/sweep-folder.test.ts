import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import type { RunLine } from '../../../shared/schemas/run-result.ts';
import { DoneMarks } from '../../../workers/metrics/done-marks.ts';
import { readRunLines } from '../../../workers/metrics/run-lines.ts';
import { summariseFolder } from '../../../workers/metrics/summarise-folder.ts';
import { SweepFolder } from '../../../workers/metrics/sweep-folder.ts';
import { readChain, readLines } from './committed-runs.ts';
import { liveSweep, runLine, sweepId } from './run-lines.ts';

async function resultsDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'haltline-test-folder-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function open(dir: string, options: { chainFileBytes?: number } = {}) {
  const found: (RunLine | undefined)[] = [];
  const folder = await SweepFolder.open(dir, liveSweep({ total: 100 }), (line) => found.push(line), options);
  onTestFinished(() => folder.close().catch(() => undefined));
  return { folder, found };
}

/** One batch, as the metrics worker writes it. */
async function write(folder: SweepFolder, places: readonly number[]): Promise<void> {
  const chain = await folder.appendChains(
    places.map((place) => ({ place, runId: `run-${place}`, steps: [], verdicts: [] })),
  );
  await folder.appendLines(places.map((place) => runLine({ place, line: { chain } })));
  await folder.sync();
}

it('begins another chain file when one is full, and another with each writer', async () => {
  const dir = await resultsDir();
  const { folder } = await open(dir, { chainFileBytes: 1 });
  await write(folder, [0, 1]);
  await write(folder, [2]);
  await folder.close();
  const { folder: next } = await open(dir);
  await write(next, [3]);
  const path = join(dir, sweepId);
  const files = (await readdir(path)).filter((name) => name.startsWith('chains-')).sort();
  expect(files).toEqual(['chains-000.jsonl.gz', 'chains-001.jsonl.gz', 'chains-002.jsonl.gz']);
  for (const line of await readLines(path)) expect((await readChain(path, line))?.runId).toBe(line.runId);
});

it('gives back what was written, and keeps what was learned in sweep.json', async () => {
  const dir = await resultsDir();
  const { folder, found: nothing } = await open(dir);
  expect(nothing).toEqual([]);
  await write(folder, [4, 2]);
  await folder.setSimulated(true);
  await folder.close();
  const { folder: again, found } = await open(dir);
  expect(found.map((line) => line?.place)).toEqual([4, 2]);
  expect(again.sweep.simulated).toBe(true);
});

it('finds every whole line, wherever the file is torn', async () => {
  const dir = await resultsDir();
  const { folder } = await open(dir);
  await write(folder, [0, 1, 2]);
  await folder.close();
  const path = join(dir, sweepId, 'runs.jsonl');
  const whole = await readFile(path);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (length) => {
      await writeFile(path, whole.subarray(0, length));
      const { folder: torn, found } = await open(dir);
      await torn.close();
      const expected = whole.subarray(0, length).filter((byte) => byte === 10).length;
      expect(found).toHaveLength(expected);
      expect((await readFile(path)).length).toBe(whole.subarray(0, length).lastIndexOf(10) + 1);
    }),
    { numRuns: 30 },
  );
});

it('keeps its lines apart from what another writer has torn', async () => {
  const dir = await resultsDir();
  const { folder } = await open(dir);
  await write(folder, [0]);
  const path = join(dir, sweepId, 'runs.jsonl');
  await appendFile(path, '{"v":1,"torn');
  await write(folder, [1]);
  const places: (number | undefined)[] = [];
  for await (const { line } of readRunLines(path)) places.push(line?.place);
  expect(places).toEqual([0, undefined, 1]);
});

it('leaves the folder as it is when it may not be written to', async () => {
  const dir = await resultsDir();
  const { folder } = await open(dir);
  await write(folder, [0]);
  await folder.close();
  const path = join(dir, sweepId, 'runs.jsonl');
  await appendFile(path, 'torn');
  const beforeWriting = () => {
    throw new Error('not mine');
  };
  const opening = SweepFolder.open(dir, liveSweep({ total: 100 }), () => undefined, { beforeWriting });
  await expect(opening).rejects.toThrow('not mine');
  expect(await readFile(path, 'utf8')).toMatch(/torn$/);
});

it('stores marks as Redis does: a bit a place, the highest bit of a byte first', () => {
  const marks = new DoneMarks(10);
  for (const place of [0, 7, 9, 9]) marks.add(place);
  expect([...marks.bytes]).toEqual([0b1000_0001, 0b0100_0000]);
  expect(marks.count).toBe(3);
  expect(() => marks.add(10)).toThrow(RangeError);
});

it('sums up no line of another sweep, nor of a place that the plan does not have', async () => {
  const dir = await resultsDir();
  const { folder } = await open(dir);
  await write(folder, [0]);
  await folder.close();
  const strays = [2 ** 53 - 1, 2 ** 31, 100].map((place) => runLine({ place }));
  const foreign = runLine({ place: 1, result: { sweep: 'another-0123456789ab' } });
  const path = join(dir, sweepId);
  for (const line of [...strays, foreign])
    await appendFile(join(path, 'runs.jsonl'), `${JSON.stringify(line)}\n`);
  expect((await summariseFolder(path)).counts).toMatchObject({ lines: 1, unreadableLines: 4 });
});
