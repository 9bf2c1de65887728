import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyAssets } from '../../scripts/deploy/copy-assets.ts';

test('a build gets what modules read, beside them, and no sources', async () => {
  const root = await mkdtemp(join(tmpdir(), 'haltline-test-assets-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const folder of ['producers/datasets/built-in', 'shared', 'workers/monitor', 'scripts']) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await writeFile(join(root, 'producers/datasets/load.ts'), '');
  await writeFile(join(root, 'producers/datasets/built-in/some.jsonl'), '{}\n');
  await writeFile(join(root, 'workers/monitor/prompt.md'), 'Judge.');
  await writeFile(join(root, 'scripts/notes.md'), '');

  await copyAssets(root, join(root, 'dist'));

  const found = await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map((entry) => entry.name);
  expect(files.sort()).toEqual(['prompt.md', 'some.jsonl']);
});

test('the built-in questions are among the files that a build gets', async () => {
  const dist = await mkdtemp(join(tmpdir(), 'haltline-test-assets-'));
  onTestFinished(() => rm(dist, { recursive: true }));
  await copyAssets('.', dist);
  expect(await readdir(join(dist, 'producers/datasets/built-in'))).toContain('arithmetic.jsonl');
});
