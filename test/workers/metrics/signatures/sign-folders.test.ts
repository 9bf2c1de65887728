import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { renderSignatures } from '../../../../shared/core/report/signatures.ts';
import { renderSignaturesSvg } from '../../../../shared/core/report/signatures-svg.ts';
import type { FlagType } from '../../../../shared/core/signatures/flag-types.ts';
import { recordedTarget } from '../../../../shared/core/recorded-target.ts';
import { type LiveSweep, liveSweepSchema } from '../../../../shared/schemas/live-sweep.ts';
import type { ChainRecord, RunLine } from '../../../../shared/schemas/run-result.ts';
import { signFolders, type SignOptions } from '../../../../workers/metrics/signatures/sign-folders.ts';
import { SweepFolder } from '../../../../workers/metrics/sweep-folder.ts';
import { failed, halted, type LineFields, liveSweep, monitorError, runLine } from '../run-lines.ts';

interface Written {
  readonly fields: LineFields;
  /** Of each step, in order. */
  readonly types?: readonly (FlagType | 'NO_ERROR')[];
}

/** A folder as the metrics worker writes it, a batch a run. */
async function folderOf(sweep: LiveSweep, runs: readonly Written[]) {
  const results = await mkdtemp(join(tmpdir(), 'haltline-signatures-'));
  onTestFinished(() => rm(results, { recursive: true, force: true }));
  const folder = await SweepFolder.open(results, sweep, () => undefined);
  for (const { fields, types = [] } of runs) {
    const chain = await folder.appendChains([recordOf(fields.place, types)]);
    const result = { sweep: sweep.id, steps: types.length, ...fields.result };
    await folder.appendLines([runLine({ ...fields, result, line: { ...fields.line, chain } })]);
  }
  await folder.close();
  return { dir: folder.dir, file: folder.sweep };
}

function recordOf(place: number, types: readonly (FlagType | 'NO_ERROR')[]): ChainRecord {
  return {
    ...{ place, runId: `run-${place}` },
    steps: types.map((_, index) => ({ index, channel: 'content', text: 'text', tokens: 1, endedAtMs: 1 })),
    verdicts: types.map((errorType, stepIndex) => ({
      ...{ status: 'judged', stepIndex, errorDetected: errorType !== 'NO_ERROR', errorType, confidence: 1 },
      ...{ errorLocation: '', errorExplanation: 'a model wrote <this>', durationMs: 1 },
    })),
  };
}

const gives = (): FlagType[] => ['2b', '3a', '3b', '3c'];
const sign = (folders: SignOptions['folders'], more: Partial<SignOptions> = {}) =>
  signFolders({ folders, basis: 'first', seed: '0', gives, ...more });
const guard = (place: number, attack: string, fields: Partial<LineFields> = {}): LineFields => ({
  ...{ place, attack, arm: 'guarded', monitor: 'rules', cluster: place },
  ...fields,
});

it('counts first flags of halted runs by attack, and what says nothing apart', async () => {
  const folder = await folderOf(liveSweep({ total: 20 }), [
    { fields: guard(0, 'badchain', { flag: { errorType: '3b' }, result: halted }) },
    { fields: guard(1, 'badchain', { flag: { errorType: '2b' }, result: halted }) },
    { fields: guard(2, 'badchain') },
    { fields: guard(3, 'badchain', { result: failed }) },
    { fields: guard(4, 'badchain', { result: monitorError }) },
    { fields: guard(5, 'badchain', { result: { unjudged: 1 } }) },
    { fields: guard(6, 'badchain', { arm: 'guarded-clean' }) },
    { fields: { place: 7, arm: 'attacked' } },
    // A repeat, and a place that the plan does not have.
    { fields: guard(2, 'badchain', { flag: { errorType: '3a' } }) },
    { fields: guard(900_000_000_000, 'badchain', { flag: { errorType: '3a' } }) },
  ]);
  await appendFile(join(folder.dir, 'runs.jsonl'), 'no line\n{"torn');
  const { monitors } = await sign([folder]);
  expect(monitors).toHaveLength(1);
  expect(monitors[0]).toMatchObject({
    monitor: 'rules',
    sees: 'user',
    simulated: { chains: true, verdicts: false },
  });
  expect(monitors[0]?.classes).toMatchObject([
    {
      ...{ kind: 'attack', name: 'badchain', runs: 3, flags: 2 },
      dropped: { failed: 1, monitorError: 1, unjudged: 1 },
      shares: { '2b': { value: 0.5, n: 2 }, '3a': { value: 0 }, '3b': { value: 0.5 } },
    },
    { kind: 'clean', name: 'no attack', runs: 1, noFlag: { value: 1 } },
  ]);
  expect(monitors[0]?.reading).toEqual({ none: 'flags in the runs of fewer than two classes' });
});

it('counts every flagged step of runs under flag, out of their chains', async () => {
  const flagged = { flag: { errorType: '3a', when: 'recorded' } } as const;
  const folder = await folderOf(liveSweep({ total: 3, intervention: 'flag' }), [
    { fields: guard(0, 'deadlock', flagged), types: ['NO_ERROR', '3a', '3a', '3b'] },
    { fields: guard(1, 'deadlock'), types: ['NO_ERROR'] },
  ]);
  await appendFile(
    join(folder.dir, 'runs.jsonl'),
    `${JSON.stringify(runLine(guard(2, 'deadlock', { ...flagged, line: { chain: { file: 'chains-099.jsonl.gz', offset: 0, length: 9 } } })))}\n`,
  );
  const { monitors } = await sign([folder], { basis: 'all' });
  const [one] = monitors[0]?.classes ?? [];
  expect(one).toMatchObject({ runs: 2, flags: 3, dropped: { chainMissing: 1 } });
  expect(one?.shares['3a']?.value).toBeCloseTo(2 / 3);
  expect((await sign([folder])).monitors[0]?.classes[0]).toMatchObject({ flags: 2, runs: 3 });
});

it('puts folders together by attack, and keeps a question in one part over all of them', async () => {
  const sweepOf = (id: string, attack: string) => liveSweep({ id, total: 2, attacks: [attack] });
  const flags = (attack: string, types: readonly FlagType[]) =>
    types.map((errorType, place) => ({
      fields: guard(place, attack, { flag: { errorType }, result: halted }),
    }));
  const one = await folderOf(sweepOf('one-0123456789ab', 'badchain'), flags('badchain', ['3b', '3a']));
  const other = await folderOf(sweepOf('two-0123456789ab', 'deadlock'), flags('deadlock', ['3a', '3b']));
  const { monitors } = await sign([one, other]);
  expect(monitors[0]?.classes.map(({ name }) => name)).toEqual(['badchain', 'deadlock']);
  // Questions part the runs, not folders: each is read by the other question, which shows the opposite.
  expect(monitors[0]?.reading).toMatchObject({ folds: 2, right: { value: 0, n: 4 } });
});

it('counts labelled chains by data set and by labelled type, and labelled against flagged types', async () => {
  const plain = liveSweep({ total: 9, attacks: [{ id: 'none', name: 'none' }], intervention: 'flag' });
  const sweep = liveSweepSchema.parse({ ...plain, spec: { ...plain.spec, targets: [recordedTarget] } });
  const chain = (place: number, flag?: LineFields['flag']): Written => ({
    fields: guard(place, 'none', {
      ...(flag && { flag: { when: 'recorded', ...flag } }),
      result: { target: recordedTarget.id, dataset: 'eic_gsm8k', simulated: false },
    }),
  });
  const folder = await folderOf(sweep, [
    chain(0, { stepIndex: 1, errorType: '2b' }),
    chain(1, { stepIndex: 2, errorType: '3a' }),
    chain(2),
    chain(3),
  ]);
  const labels = new Map([
    ['q-0', { firstError: 1, errorType: 'calculation_error' }],
    ['q-1', { firstError: 1, errorType: 'calculation_error' }],
    ['q-2', { firstError: null, errorType: undefined }],
  ]);
  const { monitors } = await sign([folder], { labelOf: (_, id) => labels.get(id) });
  const [monitor] = monitors;
  expect(monitor?.classes.map(({ name, runs }) => [name, runs])).toEqual([
    ['data set eic_gsm8k', 4],
    ['labelled 2b Calculation Error', 2],
    ['labelled without error', 1],
  ]);
  expect(monitor?.confusion).toEqual({ '2b': { n: 2, as: { '2b': 1 }, elsewhere: 1, noFlag: 0 } });
  expect(monitor?.simulated).toEqual({ chains: false, verdicts: false });
});

it('has no monitor to speak of in a folder without runs', async () => {
  const report = await sign([await folderOf(liveSweep({ total: 1 }), [])]);
  expect(report.monitors).toEqual([]);
  expect(renderSignatures(report)).toContain('no run with a monitor');
  expect(renderSignaturesSvg(report)).toMatch(/^<svg [^]*<\/svg>\n$/);
});

it('says what is simulated, what the monitor cannot give, and escapes every name, in table and figure', async () => {
  const name = 'x</text><script>\u001b[2J\u202e';
  const played = { calls: 1, tokensIn: 1, tokensOut: 1, tokensCached: 0, simulatedCalls: 1 };
  const chain = { file: 'chains-000.jsonl.gz', offset: 0, length: 0 };
  const bad = (place: number, attack: string, errorType: FlagType): Written => ({
    fields: guard(place, attack, {
      ...{ monitor: name, flag: { errorType }, result: { ...halted, dataset: name } },
      line: { monitorUse: played, chain } satisfies Partial<RunLine>,
    }),
  });
  const runs = [0, 1, 2].flatMap((at) => [bad(2 * at, name, '3b'), bad(2 * at + 1, 'deadlock', '3a')]);
  const report = await sign([await folderOf(liveSweep({ total: 9 }), runs)]);
  const [table, figure] = [renderSignatures(report), renderSignaturesSvg(report)];
  expect(table).toContain('SIMULATED MONITOR: the verdicts of x</text><script>\\x1b[2J\\u{202e} come');
  expect(figure).toContain('SIMULATED MONITOR');
  for (const text of [table, figure]) {
    expect(text).toContain('SIMULATED: ');
    expect(text.replaceAll(/[\n\P{C}]/gu, '')).toBe('');
    expect(text).not.toContain('a model wrote');
  }
  expect(figure).not.toMatch(/<script|<\/text><script/);
});

it.each([80, 100, 120])('fits %i columns', async (width) => {
  const attacks = ['badchain', 'paa', 'overthink', 'deadlock'];
  const runs = attacks.flatMap((attack, at) =>
    [0, 1, 2].map((question) => ({
      fields: guard(3 * at + question, attack, {
        ...{ cluster: question, flag: { errorType: at === 0 ? '3b' : '3a' }, result: halted },
      }),
    })),
  );
  const report = await sign([await folderOf(liveSweep({ total: 12 }), runs)]);
  for (const line of renderSignatures(report, { width }).split('\n'))
    expect(Array.from(line).length, line).toBeLessThanOrEqual(width);
});
