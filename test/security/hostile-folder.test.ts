import { appendFile, lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRunLines } from '../../workers/metrics/run-lines.ts';
import { SweepFolder } from '../../workers/metrics/sweep-folder.ts';
import { temporaryFolder } from '../support/processes.ts';
import { liveSweep, runLine, sweepId } from '../workers/metrics/run-lines.ts';

const precious = 'what must stay\n';

/** A results folder whose sweep holds a link, planted under this name, to a file elsewhere. */
async function plant(name: string): Promise<{ resultsDir: string; elsewhere: string }> {
  const dir = await temporaryFolder();
  const [resultsDir, elsewhere] = [join(dir, 'results'), join(dir, 'precious')];
  await mkdir(join(resultsDir, sweepId), { recursive: true });
  await writeFile(elsewhere, precious);
  await symlink(elsewhere, join(resultsDir, sweepId, name));
  return { resultsDir, elsewhere };
}

const openFolder = (resultsDir: string) =>
  SweepFolder.open(resultsDir, liveSweep({ total: 10 }), () => undefined);

test.each(['runs.jsonl', 'chains-000.jsonl.gz'])(
  'a planted link named %s is not written through, not even to cut a torn end, and the folder is refused in a line',
  async (name) => {
    const { resultsDir, elsewhere } = await plant(name);
    const opening = openFolder(resultsDir);
    await expect(opening).rejects.toMatchObject({ code: 'FOLDER_UNSAFE' });
    await expect(opening).rejects.toThrow(/^\S+ is a symbolic link: results are not written through it$/);
    expect(await readFile(elsewhere, 'utf8')).toBe(precious);
  },
);

test.each(['sweep.json', `.sweep.json.${process.pid}.tmp`])(
  'a planted link named %s is replaced by a file, and what it leads to stays',
  async (name) => {
    const { resultsDir, elsewhere } = await plant(name);
    if (name === 'sweep.json')
      await expect(openFolder(resultsDir), 'it is read, and is none').rejects.toThrow();
    else {
      const folder = await openFolder(resultsDir);
      await folder.close();
      expect((await lstat(join(resultsDir, sweepId, 'sweep.json'))).isFile()).toBe(true);
    }
    expect(await readFile(elsewhere, 'utf8')).toBe(precious);
  },
);

test('a line longer than any that is written is passed over, wherever it stands, and the next ones are read', async () => {
  const path = join(await temporaryFolder(), 'runs.jsonl');
  const whole = (place: number) => `${JSON.stringify(runLine({ place }))}\n`;
  const maxLineBytes = whole(0).length + 10;
  // Read in pieces of 1 MiB: one long line lies within a piece, the other over several.
  await writeFile(path, whole(0) + `${'x'.repeat(maxLineBytes + 1)}\n` + whole(1));
  await appendFile(path, `${'"'.repeat(3_000_000)}\n${whole(2)}`);
  const read = [];
  for await (const { line, end } of readRunLines(path, { maxLineBytes })) read.push([line?.place, end]);
  const [first, one] = [whole(0).length, maxLineBytes + 2];
  const behind = first + one + whole(1).length;
  expect(read).toEqual([
    [0, first],
    [undefined, first + one],
    [1, behind],
    [undefined, behind + 3_000_001],
    [2, behind + 3_000_001 + whole(2).length],
  ]);
});

test('a line that never ends takes no more memory than the longest that is read', async () => {
  const path = join(await temporaryFolder(), 'runs.jsonl');
  for (let piece = 0; piece < 12; piece += 1) await appendFile(path, 'x'.repeat(16_000_000));
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 1);
  const before = process.memoryUsage().arrayBuffers;
  for await (const { line } of readRunLines(path)) expect(line).toBeUndefined();
  clearInterval(timer);
  expect(most - before).toBeLessThan(100_000_000);
});
