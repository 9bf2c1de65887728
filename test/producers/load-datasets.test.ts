import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadDatasets } from '../../producers/load-datasets.ts';
import { sweepIdOf } from '../../producers/sweep-id.ts';
import { fakeSpec } from './plan-fixtures.ts';

async function folderWith(files: Record<string, readonly object[]>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'haltline-data-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, rows] of Object.entries(files)) {
    await writeFile(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  return folder;
}

const row = (id: string, question: string, more: object = {}) => ({
  id,
  dataset: 'd',
  question,
  answer: '1',
  ...more,
});

it('data paths start at the folder of the spec, and a question stands in one data set only', async () => {
  const folder = await folderWith({
    'a.jsonl': [row('1', 'one?'), row('2', 'two?'), row('3', 'two?')],
    'b.jsonl': [row('1', 'two?'), row('2', 'two?', { context: 'In another light:' })],
  });
  const datasets = [
    { id: 'a', path: 'a.jsonl' },
    { id: 'b', path: 'b.jsonl' },
  ];
  const loaded = await loadDatasets({ datasets, seed: 0 }, folder);
  expect(loaded.datasets.map(({ questions }) => questions.map(({ id }) => id))).toEqual([['1', '2'], ['2']]);
  expect(loaded.records).toMatchObject([
    { id: 'a', rows: 3, duplicates: 1, sample: ['1', '2'], extractor: 'number' },
    { id: 'b', rows: 2, duplicates: 1, sample: ['2'] },
  ]);
});

it('a data set that holds nothing new is refused', async () => {
  const folder = await folderWith({ 'a.jsonl': [row('1', 'one?')], 'b.jsonl': [row('9', 'one?')] });
  const datasets = [
    { id: 'a', path: 'a.jsonl' },
    { id: 'b', path: 'b.jsonl' },
  ];
  await expect(loadDatasets({ datasets, seed: 0 }, folder)).rejects.toThrow(
    'data set b: earlier data sets hold every question',
  );
});

it('a sweep id holds what orders the plan and enters its runs, and nothing of how it is run', async () => {
  const { records } = await loadDatasets({ datasets: [{ id: 'arithmetic' }], seed: 0 }, '.');
  const base = { name: 'sweep', datasets: ['arithmetic'] };
  const idOf = (
    more: Record<string, unknown>,
    input: { nonce?: string; version?: string; sha256?: string } = {},
  ) =>
    sweepIdOf({
      spec: fakeSpec({ ...base, ...more }),
      datasets: records.map((record) => ({ ...record, ...(input.sha256 ? { sha256: input.sha256 } : {}) })),
      monitorVersions: { rules: input.version ?? '1' },
      ...(input.nonce ? { nonce: input.nonce } : {}),
    });
  const id = idOf({});
  expect(id).toMatch(/^sweep-[0-9a-f]{12}$/);
  const config = { apiBaseUrl: 'http://127.0.0.1:1/v1', model: 'm' };
  const same = [
    { description: 'x', output: { dir: 'elsewhere' }, limits: { epochs: 9 }, monitor: { chains: 3 } },
    {
      targets: [
        {
          id: 'target-a',
          label: 'A',
          concurrency: 1,
          timeouts: { idleMs: 5 },
          config: { ...config, apiBaseUrl: 'http://b/v1', apiKeyEnv: 'K' },
        },
      ],
    },
    { datasets: [{ id: 'arithmetic', path: 'moved.jsonl' }] },
  ];
  for (const more of same) expect(idOf(more)).toBe(id);
  const others = [
    idOf({ name: 'other' }),
    idOf({ seed: 1 }),
    idOf({ repeat: 2 }),
    idOf({ arms: ['clean'] }),
    idOf({ fail: 'open' }),
    idOf({ intervention: 'flag' }),
    idOf({ segmentation: 'paper' }),
    idOf({ attacks: ['two'] }),
    idOf({ targets: [{ id: 'target-a', config: { ...config, model: 'n' } }] }),
    idOf({ monitors: [{ name: 'rules', sees: 'prompt' }] }),
    idOf({ monitor: { stepTimeoutMs: 1 } }),
    idOf({ datasets: [{ id: 'arithmetic', limit: 5 }] }),
    idOf({}, { nonce: 'n' }),
    idOf({}, { version: '2' }),
    idOf({}, { sha256: 'f00' }),
  ];
  expect(new Set([id, ...others]).size).toBe(others.length + 1);
});
