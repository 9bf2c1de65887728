import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RunLine } from '../../../shared/schemas/run-result.ts';
import type { Step } from '../../../shared/schemas/step.ts';
import { openStoredRuns } from '../../../workers/metrics/stored-runs.ts';
import { SweepFolder } from '../../../workers/metrics/sweep-folder.ts';
import { failed, type LineFields, liveSweep, runLine, sweepId } from './run-lines.ts';

/** Text that a terminal, a JSON reader or a line reader may stumble over. */
const hostile = 'a\u2028b\u0000\u001b[2J"}\n{"place":0,"runId":"run-1"}\r\n\ud800 \u{1f600} </chain>';

function chainOf(place: number, count: number): Step[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ index, channel: 'content' as const, text: `${String(place)} ${hostile}` },
    ...{ tokens: 3, endedAtMs: 1_000 + index },
  }));
}

function askedOf(place: number) {
  return { target: 'toy', repeat: 0, seed: 1, messagesHash: `h${String(place)}` };
}

/** A folder of runs, each batch in a chain file of its own where `chainFileBytes` is 1. */
async function folderOf(
  batches: readonly (readonly LineFields[])[],
  chainFileBytes?: number,
): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'haltline-stored-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const options = chainFileBytes === undefined ? {} : { chainFileBytes };
  const folder = await SweepFolder.open(dir, liveSweep({ total: 100 }), () => undefined, options);
  for (const batch of batches) {
    const lines = batch.map((fields) =>
      runLine({ ...fields, result: { messagesHash: `h${String(fields.place)}`, ...fields.result } }),
    );
    const chains = lines.map(({ place, runId, steps }) => ({
      ...{ place, runId, steps: chainOf(place, steps), verdicts: [] },
    }));
    const chain = await folder.appendChains(chains);
    await folder.appendLines(lines.map((line) => ({ ...line, chain })));
  }
  await folder.close();
  return folder.dir;
}

test('chains are found over several files, with whatever text, by what was asked of the target', async () => {
  const dir = await folderOf([[{ place: 0 }, { place: 1 }], [{ place: 2, timing: { latencyMs: 77 } }]], 1);
  const stored = await openStoredRuns(dir, sweepId);
  expect(stored.count).toBe(3);
  const runs = [0, 1, 2].map((place) => stored.find(askedOf(place)));
  for (const [place, run] of runs.entries()) {
    if (typeof run !== 'number') throw new Error(`run ${String(place)}: ${run ?? 'not found'}`);
    const read = stored.read(run);
    expect(read.chain).toEqual(chainOf(place, 3));
    expect(stored.bytesOf(run)).toBeGreaterThan(3 * hostile.length);
    expect(read.run).toMatchObject({
      sweep: sweepId,
      messagesHash: `h${String(place)}`,
      epoch: 1,
      answer: '4',
    });
    expect(read.run.timing.latencyMs).toBe(place === 2 ? 77 : 100);
  }
  expect(stored.find({ ...askedOf(0), seed: 2 })).toBeUndefined();
  expect(stored.find({ ...askedOf(0), repeat: 1 })).toBeUndefined();
});

test('monitored runs, lines of another sweep and repeated lines are no sources; failed runs are named as such', async () => {
  const dir = await folderOf([
    [{ place: 0 }, { place: 1, arm: 'guarded', monitor: 'rules' }, { place: 2, result: failed }],
    [
      { place: 3, result: { sweep: 'other-0123456789ab' } },
      { place: 0, result: { messagesHash: 'h9' } },
    ],
  ]);
  const stored = await openStoredRuns(dir, sweepId);
  expect(stored.count).toBe(2);
  expect([0, 1, 2, 3, 9].map((place) => stored.find(askedOf(place)))).toEqual([
    ...[0, undefined, 'failed', undefined, undefined],
  ]);
});

test('each way in which a chain is not whole has its reason, and harms no other chain', async () => {
  const dir = await folderOf([[{ place: 0 }], [{ place: 1 }], [{ place: 2 }], [{ place: 3 }]], 1);
  // A torn end, bytes that are no gzip, and a file whose records are of other runs.
  await truncate(join(dir, 'chains-001.jsonl.gz'), 40);
  await writeFile(join(dir, 'chains-002.jsonl.gz'), Buffer.alloc(10_000, 7));
  await rm(join(dir, 'chains-003.jsonl.gz'));
  const chain: RunLine['chain'] = { file: 'chains-000.jsonl.gz', offset: 0, length: 10_000 };
  const astray = { ...runLine({ place: 4, result: { messagesHash: 'h4' } }), chain };
  await appendFile(join(dir, 'runs.jsonl'), `${JSON.stringify(astray)}\n`);
  const stored = await openStoredRuns(dir, sweepId);
  expect([0, 1, 2, 3, 4].map((place) => stored.find(askedOf(place)))).toEqual([
    ...[0, 'chainPartial', 'chainUnreadable', 'chainMissing', 'chainPartial'],
  ]);
});

test('a record of another run id is not taken for the chain of a line', async () => {
  const dir = await folderOf([[{ place: 0 }]]);
  const stored = await openStoredRuns(dir, sweepId);
  const path = join(dir, 'runs.jsonl');
  await writeFile(path, (await readFile(path, 'utf8')).replace('"runId":"run-0"', '"runId":"run-77"'));
  const changed = await openStoredRuns(dir, sweepId);
  expect(changed.find(askedOf(0))).toBe('chainUnreadable');
  expect(changed.fingerprint).not.toBe(stored.fingerprint);
});

test('a folder that changes after it was checked is told, not judged', async () => {
  const dir = await folderOf([[{ place: 0 }]]);
  const stored = await openStoredRuns(dir, sweepId);
  await writeFile(join(dir, 'runs.jsonl'), 'gone');
  expect(() => stored.read(0)).toThrow(/^run 0 in .* has changed since it was checked$/);
});
