import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openChainFiles } from '../../producers/chains/open-chain-files.ts';
import { prepareReplay } from '../../scripts/prepare-replay.ts';
import { generationJobSchema } from '../../shared/schemas/job.ts';
import { monitorSpecSchema } from '../../shared/schemas/sweep-spec.ts';

const rules = monitorSpecSchema.parse({ id: 'rules', name: 'rules' });
const sensitive = monitorSpecSchema.parse({ id: 'sensitive', name: 'rules', policy: 'sensitive' });

const row = {
  ...{ id: 'c1', dataset: 'eic_gsm8k', question: 'How many?', steps: ['one', 'a\n\nb', ''] },
  ...{ firstError: 1, errorType: 'calculation_error', errorReason: 'a slip', expected: '7' },
};

async function fileOf(name: string, lines: readonly string[]): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'haltline-chains-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, name), lines.join('\n'));
  return join(dir, name);
}

async function open(paths: readonly string[], limit?: number) {
  const chains = await openChainFiles(paths, { limit, seed: '0' });
  onTestFinished(() => chains.close());
  return chains;
}

test('rows are read from where they lie, after a byte order mark, blank lines and CR LF alike', async () => {
  const rows = ['ä', 'b', 'c'].map((id) => ({ ...row, id, question: `what is ${id}?` }));
  const [a, b, c] = rows.map((one) => JSON.stringify(one));
  const chains = await open([await fileOf('x.jsonl', [`\uFEFF${a ?? ''}`, '', `${b ?? ''}\r`, c ?? ''])]);
  expect(chains.labels.map(({ id }) => id)).toEqual(['ä', 'b', 'c']);
  expect([0, 1, 2].map((chain) => chains.read(chain).question)).toEqual(rows.map(({ question }) => question));
});

test('a chain becomes a run of target recorded with its own steps for each monitor, and no label is in it', async () => {
  const chains = await open([await fileOf('x.jsonl', [JSON.stringify(row)])]);
  const { plan, sweep } = prepareReplay({ chains, monitors: [rules, sensitive], prices: {}, nonce: 'n' });
  expect(plan.total).toBe(2);
  expect(plan.span(0)).toEqual({ first: 0, size: 2 });
  const jobs = plan.block(0);
  expect(jobs.map((job) => generationJobSchema.parse(job))).toEqual(jobs);
  expect(jobs.map(({ place, guard }) => [place, guard?.monitor])).toEqual([
    [0, 'rules'],
    [1, 'sensitive'],
  ]);
  expect(jobs[0]).toMatchObject({
    ...{ target: 'recorded', replay: { steps: row.steps }, questionId: 'c1' },
    cases: [{ attack: 'none', dataset: 'eic_gsm8k', arm: 'guarded' }],
  });
  expect(jobs[0]?.runId).not.toBe(jobs[1]?.runId);
  expect(plan.job(1)).toEqual(jobs[1]);
  expect(JSON.stringify(jobs)).not.toMatch(/calculation_error|firstError|a slip|"7"/);
  expect(sweep.spec).toMatchObject({ intervention: 'flag', arms: ['guarded'] });
});

test('chains of one question have one cluster, over files too', async () => {
  const other = { ...row, id: 'c2', question: 'Another?' };
  const first = await fileOf('x.jsonl', [JSON.stringify(row), JSON.stringify(other)]);
  const second = await fileOf('y.jsonl', [JSON.stringify({ ...row, id: 'c3', firstError: null })]);
  const { labels } = await open([first, second]);
  expect(labels.map(({ cluster }) => cluster)).toEqual([0, 1, 0]);
});

test('a limit takes as many chains of each file, the same for one seed', async () => {
  const lines = Array.from({ length: 20 }, (_, at) => JSON.stringify({ ...row, id: `c${String(at)}` }));
  const others = ['d1', 'd2'].map((id) => JSON.stringify({ ...row, id }));
  const paths = [await fileOf('x.jsonl', lines), await fileOf('y.jsonl', others)];
  const [one, same] = [await open(paths, 5), await open(paths, 5)];
  expect(one.labels).toHaveLength(7);
  expect(same.labels).toEqual(one.labels);
  expect(one.records.map(({ rows, sample }) => [rows, sample.length])).toEqual([
    [20, 5],
    [2, 2],
  ]);
});

test('a line that was there before, in whichever file, is left out and counted', async () => {
  const [line, changed] = [JSON.stringify(row), JSON.stringify({ ...row, firstError: null })];
  const first = await fileOf('x.jsonl', [line, `${line}\r`, changed]);
  const second = await fileOf('y.jsonl', [line, JSON.stringify({ ...row, id: 'c2' })]);
  const chains = await open([first, second]);
  expect(chains.labels.map(({ id, firstError }) => [id, firstError])).toEqual([
    ['c1', 1],
    ['c1', null],
    ['c2', 1],
  ]);
  expect(chains.records.map(({ rows, duplicates }) => [rows, duplicates])).toEqual([
    [3, 1],
    [2, 1],
  ]);
});

test('a row that is no labelled chain is refused with its file and line', async () => {
  const path = await fileOf('x.jsonl', [JSON.stringify(row), JSON.stringify({ ...row, firstError: 3 })]);
  await expect(openChainFiles([path], { seed: '0' })).rejects.toThrow(
    `${path} line 2: firstError: expected the index of a step`,
  );
});
