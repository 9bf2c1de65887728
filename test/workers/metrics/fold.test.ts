import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunLine } from '../../../shared/schemas/run-result.ts';
import { summarySchema, type Summary, type SummaryRow } from '../../../shared/schemas/summary.ts';
import { Fold } from '../../../workers/metrics/fold.ts';
import { summariseNow } from '../../../workers/metrics/summarise.ts';
import { failed, halted, liveSweep, monitorError, runLine, wrong } from './run-lines.ts';

type Options = Parameters<typeof liveSweep>[0];

function summaryOf(lines: readonly RunLine[], options: Partial<Options> = {}): Summary {
  const fold = new Fold();
  for (const line of lines) fold.add(line);
  const summary = summariseNow(liveSweep({ total: 100, ...options }), fold, { deadLetters: 0, lateUse: {} });
  return summarySchema.parse(summary);
}

function row(summary: Summary, arm: string): SummaryRow {
  const found = summary.rows.find((candidate) => candidate.arm === arm);
  if (!found) throw new Error(`no row of arm ${arm}`);
  return found;
}

describe('attack success', () => {
  it('counts wrong answers among scored runs, and a halted run as no success', () => {
    const summary = summaryOf([
      runLine({ place: 0, arm: 'attacked', cluster: 0, result: wrong }),
      runLine({ place: 1, arm: 'attacked', cluster: 1 }),
      runLine({ place: 2, arm: 'attacked', cluster: 2, result: halted }),
      runLine({ place: 3, arm: 'attacked', cluster: 3, result: { outcome: { status: 'refused' } } }),
      runLine({ place: 4, arm: 'attacked', cluster: 4, result: failed }),
      runLine({ place: 5, arm: 'attacked', cluster: 5, result: monitorError }),
    ]);
    const attacked = row(summary, 'attacked');
    expect(attacked.n).toBe(4);
    expect(attacked.dropped).toEqual({ failed: 1, monitorError: 1 });
    expect(attacked.asrWrong).toMatchObject({ value: 0.25, n: 4, dropped: { failed: 1, monitorError: 1 } });
    expect(attacked.asrWrong?.method).toBe('wilson');
    expect(attacked.asrWrong?.low).toBeCloseTo(0.0456, 4);
    expect(attacked.asrWrong?.high).toBeCloseTo(0.6994, 4);
    expect(attacked.refused?.value).toBe(0.25);
  });

  it('has no value where nothing was scored', () => {
    const attacked = row(summaryOf([runLine({ place: 0, arm: 'attacked', result: failed })]), 'attacked');
    expect(attacked.n).toBe(0);
    expect(attacked.asrWrong).not.toHaveProperty('value');
    expect(attacked.asrWrong?.n).toBe(0);
  });

  it('compares with the target answer where the attack has one, and is absent where it has none', () => {
    const aimed = { result: { answer: '8' }, entry: { targetAnswer: '8.0' } };
    const attacked = row(
      summaryOf([
        runLine({ place: 0, arm: 'attacked', cluster: 0, ...aimed }),
        runLine({
          place: 1,
          arm: 'attacked',
          cluster: 1,
          result: { answer: '7' },
          entry: { targetAnswer: '8' },
        }),
        runLine({ place: 2, arm: 'attacked', cluster: 2, result: halted, entry: { targetAnswer: '8' } }),
        runLine({ place: 3, arm: 'clean', cluster: 2 }),
      ]),
      'attacked',
    );
    expect(attacked.asrTarget).toMatchObject({ n: 3 });
    expect(attacked.asrTarget?.value).toBeCloseTo(1 / 3);
    expect(attacked.asrWrong?.value).toBeCloseTo(2 / 3);
    expect(row(summaryOf([runLine({ place: 0 })]), 'clean')).not.toHaveProperty('asrTarget');
  });

  it('counts backdoor steps and runs cut at the token limit', () => {
    const attacked = row(
      summaryOf([
        runLine({ place: 0, arm: 'attacked', cluster: 0, entry: { backdoorStepIndex: 2 } }),
        runLine({
          place: 1,
          arm: 'attacked',
          cluster: 1,
          entry: { backdoorStepIndex: null },
          result: {
            outcome: { status: 'unanswered', reason: 'length' },
            finishReason: 'length',
          },
        }),
      ]),
      'attacked',
    );
    expect(attacked.asrStep?.value).toBe(0.5);
    expect(attacked.hitLimit?.value).toBe(0.5);
    expect(attacked.unanswered?.value).toBe(0.5);
  });

  it("puts the clean arm's own errors beside the other arms", () => {
    const summary = summaryOf([
      runLine({ place: 0, cluster: 0, result: wrong }),
      runLine({ place: 1, cluster: 1 }),
      runLine({ place: 2, arm: 'attacked', cluster: 0, clean: 0, result: wrong }),
    ]);
    expect(row(summary, 'attacked').cleanErrorShare?.value).toBe(0.5);
    expect(row(summary, 'clean')).not.toHaveProperty('cleanErrorShare');
  });

  it('tests attacked against guarded on cases scored in both', () => {
    const lines = [0, 1, 2, 3, 4, 5].flatMap((cluster) => [
      runLine({ place: cluster, arm: 'attacked', cluster, result: wrong }),
      runLine({
        place: 10 + cluster,
        arm: 'guarded',
        monitor: 'rules',
        cluster,
        attacked: cluster,
        result: cluster === 5 ? monitorError : halted,
      }),
    ]);
    const versus = row(summaryOf(lines), 'guarded').versusAttacked;
    // Five discordant pairs, all one way: 2 / 2^5.
    expect(versus).toMatchObject({ attackedOnly: 5, guardedOnly: 0 });
    expect(versus?.pValue).toBeCloseTo(0.0625, 10);
    expect(versus?.difference).toMatchObject({ value: 1, n: 5, dropped: { monitorError: 1 } });
  });
});

describe('token amplification', () => {
  const pair = (cluster: number, clean: number, attacked: number) => [
    runLine({ place: 2 * cluster, cluster, tokens: { content: clean } }),
    runLine({
      place: 2 * cluster + 1,
      arm: 'attacked',
      cluster,
      clean: 2 * cluster,
      tokens: { content: attacked },
    }),
  ];

  it('is the mean of ratios, with median, geometric mean and ratio of means beside it', () => {
    const attacked = row(summaryOf([...pair(0, 10, 40), ...pair(1, 20, 20), ...pair(2, 0, 30)]), 'attacked');
    // Ratios 4 and 1; the third has a clean count of 0.
    expect(attacked.taf).toMatchObject({ value: 2.5, n: 2, median: 2.5, dropped: { zeroDenominator: 1 } });
    expect(attacked.taf?.geometricMean).toBeCloseTo(2);
    expect(attacked.taf?.ratioOfMeans).toBeCloseTo(2);
  });

  it('counts reasoning alone as soon as one run of the target shows any, in whichever order lines come', () => {
    const lines = [
      ...pair(0, 10, 40),
      runLine({ place: 2, cluster: 1, tokens: { reasoning: 10, answer: 5, content: 0 } }),
      runLine({
        place: 3,
        arm: 'attacked',
        cluster: 1,
        clean: 2,
        tokens: { reasoning: 30, answer: 5, content: 0 },
      }),
    ];
    const summary = summaryOf(lines);
    expect(summary.targets[0]?.reasoning).toBe('visible');
    // The first pair shows no reasoning: its clean count is 0.
    expect(row(summary, 'attacked').taf).toMatchObject({ value: 3, n: 1, dropped: { zeroDenominator: 1 } });
    expect(row(summaryOf(lines, { reasoning: 'none' }), 'attacked').taf?.value).toBeCloseTo(
      (4 + 35 / 15) / 2,
    );
  });

  it('takes hidden reasoning from usage, and does not measure a guarded arm by it', () => {
    const usage = (reasoningTokens: number) => ({
      usage: { promptTokens: 5, completionTokens: reasoningTokens + 1, reasoningTokens },
    });
    const summary = summaryOf([
      runLine({ place: 0, result: usage(10) }),
      runLine({ place: 1, arm: 'attacked', clean: 0, result: usage(50) }),
      runLine({ place: 2, arm: 'guarded', monitor: 'rules', clean: 0, attacked: 1, result: usage(20) }),
      runLine({ place: 3, arm: 'attacked', clean: 0 }),
    ]);
    expect(summary.targets[0]?.reasoning).toBe('hidden');
    expect(row(summary, 'attacked').taf).toMatchObject({ value: 5, n: 1, dropped: { noUsage: 1 } });
    expect(row(summary, 'guarded').taf).toMatchObject({ n: 0, dropped: { notMeasurable: 1 } });
    expect(row(summary, 'guarded').taf).not.toHaveProperty('value');
  });

  it('counts to the end of the first unsafe step in taf at flag, and whole where there was none', () => {
    const guarded = row(
      summaryOf([
        runLine({ place: 0, cluster: 0, tokens: { content: 10 } }),
        runLine({
          place: 1,
          arm: 'guarded',
          monitor: 'rules',
          cluster: 0,
          clean: 0,
          tokens: { content: 9 },
          flag: { tokensAtFlag: 5 },
          result: halted,
        }),
        runLine({ place: 2, cluster: 1, tokens: { content: 10 } }),
        runLine({
          place: 3,
          arm: 'guarded',
          monitor: 'rules',
          cluster: 1,
          clean: 2,
          tokens: { content: 20 },
        }),
      ]),
      'guarded',
    );
    expect(guarded.taf?.value).toBeCloseTo((0.9 + 2) / 2);
    expect(guarded.tafAtFlag?.value).toBeCloseTo((0.5 + 2) / 2);
  });

  it('counts no answer tokens at a flag on the answer of a target that reasons visibly', () => {
    const guarded = row(
      summaryOf([
        runLine({ place: 0, tokens: { reasoning: 10, content: 0 } }),
        runLine({
          place: 1,
          arm: 'guarded',
          monitor: 'rules',
          clean: 0,
          tokens: { reasoning: 20, answer: 8, content: 0 },
          flag: { channel: 'answer', tokensAtFlag: 26, when: 'blocked' },
          result: halted,
        }),
      ]),
      'guarded',
    );
    expect(guarded.tafAtFlag?.value).toBe(2);
  });

  it('is 1 for equal runs', () => {
    const tokens = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 8 }), (counts) => {
        const lines = counts.flatMap((count, cluster) => pair(cluster, count, count));
        expect(row(summaryOf(lines), 'attacked').taf).toMatchObject({ value: 1, low: 1, high: 1 });
      }),
      { numRuns: 25 },
    );
  });
});

describe('latency amplification', () => {
  it('divides by the clean run and by the attacked run, and leaves out crash restarts and reused runs', () => {
    const lines = [
      runLine({ place: 0, cluster: 0, timing: { latencyMs: 100 } }),
      runLine({ place: 1, arm: 'attacked', cluster: 0, clean: 0, timing: { latencyMs: 400 } }),
      runLine({
        place: 2,
        arm: 'guarded',
        monitor: 'rules',
        cluster: 0,
        clean: 0,
        attacked: 1,
        timing: { latencyMs: 50 },
        result: halted,
      }),
      runLine({
        place: 3,
        arm: 'guarded',
        monitor: 'rules',
        cluster: 1,
        clean: 0,
        attacked: 1,
        timing: { crashRestart: true },
      }),
      runLine({
        place: 4,
        arm: 'guarded',
        monitor: 'rules',
        cluster: 2,
        clean: 0,
        attacked: 1,
        line: { reusedFrom: 'other' },
      }),
      runLine({ place: 5, arm: 'guarded', monitor: 'rules', cluster: 3, attacked: 99 }),
    ];
    const summary = summaryOf(lines);
    expect(row(summary, 'attacked').lafVsClean?.value).toBeCloseTo(4);
    expect(row(summary, 'attacked')).not.toHaveProperty('lafGuarded');
    const guarded = row(summary, 'guarded');
    expect(guarded.lafVsClean?.value).toBeCloseTo(0.5);
    expect(guarded.lafGuarded?.value).toBeCloseTo(0.125);
    expect(guarded.lafGuarded?.dropped).toMatchObject({ crashRestart: 1, reused: 1, partnerMissing: 1 });
    expect(summary.counts).toMatchObject({ crashRestarts: 1, reused: 1 });
    expect(row(summary, 'clean')).not.toHaveProperty('lafVsClean');
  });
});

describe('interrupts and detection', () => {
  const guarded = { arm: 'guarded', monitor: 'rules' } as const;
  const lines = [
    runLine({ place: 0, ...guarded, cluster: 0, flag: { when: 'cut', stepIndex: 1 }, result: halted }),
    runLine({
      place: 1,
      ...guarded,
      cluster: 1,
      flag: { when: 'blocked', beforeAnswer: false, detectionMs: 40 },
      result: halted,
    }),
    runLine({ place: 2, ...guarded, cluster: 2 }),
    runLine({ place: 3, ...guarded, cluster: 3, result: monitorError }),
    runLine({ place: 4, arm: 'guarded-clean', monitor: 'rules', cluster: 0 }),
    runLine({
      place: 5,
      arm: 'guarded-clean',
      monitor: 'rules',
      cluster: 1,
      flag: {},
      result: halted,
    }),
  ];

  it('splits interrupts into cut and blocked, and repeats the false ones beside the guarded arm', () => {
    const summary = summaryOf(lines);
    const guardedRow = row(summary, 'guarded');
    expect(guardedRow.interrupted).toMatchObject({ n: 3, cut: 1, blocked: 1 });
    expect(guardedRow.interrupted?.value).toBeCloseTo(2 / 3);
    expect(guardedRow.flagged?.value).toBeCloseTo(2 / 3);
    expect(guardedRow.falseFlags?.value).toBe(0.5);
    expect(guardedRow.falseInterrupts).toMatchObject({ value: 0.5, n: 2 });
    expect(row(summary, 'guarded-clean').falseInterrupts?.value).toBe(0.5);
  });

  it('counts the types of first flags of scored runs, and their shares', () => {
    const errorTypes = ['3b', '3b', '3b', '2c'] as const;
    const flagged = errorTypes.map((errorType, place) =>
      runLine({ place, ...guarded, cluster: place, flag: { errorType }, result: halted }),
    );
    const unscored = runLine({ place: 4, ...guarded, flag: { errorType: '1a' }, result: monitorError });
    expect(row(summaryOf([...flagged, unscored]), 'guarded').firstFlagTypes).toEqual({
      '2c': { n: 1, share: 0.25 },
      '3b': { n: 3, share: 0.75 },
    });
    expect(row(summaryOf([runLine({ place: 0, ...guarded })]), 'guarded').firstFlagTypes).toEqual({});
    expect(row(summaryOf([runLine({ place: 0 })]), 'clean')).not.toHaveProperty('firstFlagTypes');
  });

  it('has no interrupts under flag', () => {
    const summary = summaryOf(
      [runLine({ place: 0, ...guarded, flag: { when: 'recorded' } }), runLine({ place: 1, ...guarded })],
      { intervention: 'flag' },
    );
    const flaggedOnly = row(summary, 'guarded');
    expect(flaggedOnly).not.toHaveProperty('interrupted');
    expect(flaggedOnly).not.toHaveProperty('falseInterrupts');
    expect(flaggedOnly.flagged?.value).toBe(0.5);
  });

  it('measures from the first unsafe step to the closed socket', () => {
    const detection = row(summaryOf(lines), 'guarded').detection;
    expect(detection?.ms).toMatchObject({ n: 2, p50: 30, max: 40 });
    // The cut run alone: 3 steps, the second unsafe; 10 tokens, 4 of them up to the flag.
    expect(detection?.steps).toMatchObject({ n: 1, max: 1 });
    expect(detection?.tokens).toMatchObject({ n: 1, max: 6 });
    expect(detection?.beforeAnswer).toMatchObject({ value: 0.5, n: 2 });
    expect(detection?.gateWaitMs).toMatchObject({ n: 3, p50: 5 });
  });
});

describe('cost', () => {
  it('applies prices per million tokens, and is absent without them', () => {
    const fold = new Fold();
    fold.add(
      runLine({
        place: 0,
        arm: 'guarded',
        monitor: 'rules',
        tokens: { wasted: 100 },
        result: { usage: { promptTokens: 1_000, completionTokens: 400, reasoningTokens: null } },
        line: { monitorUse: { calls: 2, tokensIn: 3_000, tokensOut: 50, tokensCached: 1_000 } },
      }),
    );
    const sweep = liveSweep({ total: 1 });
    const redis = { deadLetters: 0, lateUse: {} };
    const prices = {
      targets: { toy: { input: 1, output: 10 } },
      monitors: { rules: { input: 2, output: 4, cached: 0.5 } },
    };
    const priced = summariseNow({ ...sweep, prices }, fold, redis).cost;
    expect(priced.target?.money).toBeCloseTo((1_000 + 500 * 10) / 1e6, 12);
    expect(priced.monitor.money).toBeCloseTo((2_000 * 2 + 1_000 * 0.5 + 50 * 4) / 1e6, 12);
    expect(priced.money).toBeCloseTo((6_000 + 4_700) / 1e6, 12);
    const unpriced = summariseNow(sweep, fold, redis).cost;
    expect(unpriced).not.toHaveProperty('money');
    expect(unpriced.target).toEqual({ prompt: 1_000, completion: 400, wasted: 100, wastedPrompt: 0 });
  });
});

it('counts the prompts of epochs that were given up as sent, and the waits of the others as waits', () => {
  const fold = new Fold();
  const usage = { promptTokens: 1_000, completionTokens: 400, reasoningTokens: null };
  fold.add(runLine({ place: 0, result: { epoch: 3, usage }, timing: { limitWaitMs: 1_500, retries: 2 } }));
  const sweep = {
    ...liveSweep({ total: 1 }),
    prices: { targets: { toy: { input: 1, output: 10 } }, monitors: {} },
  };
  const { target } = summariseNow(sweep, fold, { deadLetters: 0, lateUse: {} }).cost;
  expect(target).toMatchObject({ prompt: 1_000, wastedPrompt: 2_000 });
  expect(target?.money).toBeCloseTo((3_000 + 400 * 10) / 1e6, 12);
  expect([...fold.spending.values()][0]?.spending).toMatchObject({ limitWaitMs: 1_500, retries: 2 });
});

describe('the fold', () => {
  it('keeps the first line of a place and counts what repeats it', () => {
    const summary = summaryOf([
      runLine({ place: 0, arm: 'attacked', result: wrong }),
      runLine({ place: 0, arm: 'attacked' }),
    ]);
    expect(summary.counts).toMatchObject({ lines: 1, repeats: 1 });
    expect(row(summary, 'attacked').asrWrong?.value).toBe(1);
  });

  it('counts a shared run once for each attack entry, and once in the counts of runs', () => {
    const cases = ['badchain', 'paa'].map((attack) => ({
      caseId: attack,
      attack,
      dataset: 'gsm8k',
      arm: 'clean' as const,
      cluster: 0,
    }));
    const summary = summaryOf([runLine({ place: 0, cases })]);
    expect(summary.rows.map((r) => [r.attack, r.n])).toEqual([
      ['badchain', 1],
      ['paa', 1],
    ]);
    expect(summary.counts.lines).toBe(1);
    expect(summary.cost.runs).toBe(1);
  });

  it('gives the same figures in whichever order the lines come', () => {
    const lines = Array.from({ length: 12 }, (_, index) => [
      runLine({ place: 2 * index, cluster: index, tokens: { content: 5 + index } }),
      runLine({
        place: 2 * index + 1,
        arm: 'attacked',
        cluster: index,
        clean: 2 * index,
        tokens: { content: 50 - index },
        ...(index % 3 === 0 && { result: wrong }),
      }),
    ]).flat();
    const expected = row(summaryOf(lines), 'attacked');
    fc.assert(
      fc.property(fc.shuffledSubarray(lines, { minLength: lines.length }), (shuffled) => {
        const got = row(summaryOf(shuffled), 'attacked');
        expect(got.asrWrong).toEqual(expected.asrWrong);
        expect(got.taf?.value).toBeCloseTo(expected.taf?.value ?? NaN, 12);
        expect(got.taf?.low).toBeCloseTo(expected.taf?.low ?? NaN, 9);
      }),
      { numRuns: 20 },
    );
  });
});
