import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chainFigures, compareMonitors, type JudgedChain } from '../../../workers/metrics/labelled-chains.ts';

function judged(
  chain: number,
  {
    label,
    flag,
    ...rest
  }: { label: number | null; flag?: number } & Partial<Pick<JudgedChain, 'code' | 'dataset'>>,
): JudgedChain {
  return {
    ...{ chain, dataset: 'a', cluster: chain, firstError: label, code: undefined },
    flag: flag === undefined ? undefined : { stepIndex: flag, errorType: '2b' },
    ...rest,
  };
}

/** Six wrong chains: 2 at the label, 1 two steps early, 1 four steps late, 2 unflagged. Four clean ones, 1 flagged. */
const ten: readonly JudgedChain[] = [
  judged(0, { label: 2, flag: 2, code: '2b' }),
  judged(1, { label: 0, flag: 0, code: '1a' }),
  judged(2, { label: 5, flag: 3, code: '2b' }),
  judged(3, { label: 1, flag: 5 }),
  judged(4, { label: 1 }),
  judged(5, { label: 3, dataset: 'b', code: '1a' }),
  judged(6, { label: null }),
  judged(7, { label: null, flag: 0 }),
  judged(8, { label: null }),
  judged(9, { label: null, dataset: 'b' }),
];

describe('figures on labelled chains', () => {
  test('PAcc counts first flags at the labelled step alone, over wrong chains', () => {
    const { pacc } = chainFigures(ten);
    expect(pacc).toMatchObject({ n: 6, method: 'wilson' });
    expect(pacc.value).toBeCloseTo(2 / 6, 12);
    // Wilson, 2 of 6
    expect(pacc.low).toBeCloseTo(0.0968, 4);
    expect(pacc.high).toBeCloseTo(0.7, 4);
  });

  test('FPR counts any flag of a clean chain; precision counts flagged chains that are wrong, wherever', () => {
    const { fpr, precision } = chainFigures(ten);
    expect(fpr).toMatchObject({ value: 0.25, n: 4 });
    // flagged: 0, 1, 2, 3 are wrong, 7 is clean
    expect(precision).toMatchObject({ value: 0.8, n: 5 });
  });

  test('F1 is the harmonic mean of accuracy on wrong chains and on clean ones', () => {
    // 2 · (1/3) · (3/4) / (1/3 + 3/4) = (1/2) / (13/12) = 6/13
    const { f1 } = chainFigures(ten);
    expect(f1.value).toBeCloseTo(6 / 13, 12);
    expect(f1).toMatchObject({ n: 10, clusters: 10, method: 'delta' });
    // Wilson: 2 of 6 [0.0968, 0.7000], 3 of 4 [0.3006, 0.9544]; slopes 2 · (9/13)² = 0.9586 and 2 · (4/13)² = 0.1893
    expect(f1.low).toBeCloseTo(6 / 13 - Math.hypot(0.9586 * 0.2365, 0.1893 * 0.4494), 3);
    expect(f1.high).toBeCloseTo(6 / 13 + Math.hypot(0.9586 * 0.3667, 0.1893 * 0.2044), 3);
    const silent = [judged(0, { label: 1 }), judged(1, { label: null, flag: 0 })];
    expect(chainFigures(silent).f1.value).toBe(0);
    expect(chainFigures([judged(0, { label: 1 })]).f1).not.toHaveProperty('value');
  });

  test('distances are signed steps from the label to the first flag', () => {
    // 0, 0, -2, 4: mean 0.5, mean of sizes 1.5
    expect(chainFigures(ten).distance).toEqual({
      ...{ n: 4, exact: 2, early: 1, late: 1, missed: 2 },
      ...{ mean: 0.5, meanAbsolute: 1.5 },
    });
    expect(chainFigures([]).distance).toEqual({ n: 0, exact: 0, early: 0, late: 0, missed: 0 });
  });

  test('type accuracy is of hits whose label stands for a subtype; the rest is counted apart', () => {
    // Hits: 0 (2b, flagged 2b) and 1 (1a, flagged 2b)
    expect(chainFigures(ten).typeAccuracy).toMatchObject({
      ...{ value: 0.5, n: 2 },
      dropped: { notAtLabel: 4, unmapped: 0 },
    });
    const unmapped = chainFigures([judged(0, { label: 0, flag: 0 })]).typeAccuracy;
    expect(unmapped).toMatchObject({ n: 0, dropped: { notAtLabel: 0, unmapped: 1 } });
    expect(unmapped.value).toBeUndefined();
  });

  test('labelled types are counted against flagged types at the label; other steps and no flag apart', () => {
    expect(chainFigures(ten).typeConfusion).toEqual({
      '1a': { n: 2, as: { '2b': 1 }, elsewhere: 0, noFlag: 1 },
      '2b': { n: 2, as: { '2b': 1 }, elsewhere: 1, noFlag: 0 },
    });
  });

  test('PAcc is given by data set and by subtype', () => {
    const { byDataset, byType, unmapped } = chainFigures(ten);
    expect(byDataset['a']).toMatchObject({ chains: 8, pacc: { value: 0.4, n: 5 }, fpr: { n: 3 } });
    expect(byDataset['b']).toMatchObject({ chains: 2, pacc: { value: 0, n: 1 }, fpr: { value: 0, n: 1 } });
    expect(byType).toMatchObject({ '1a': { value: 0.5, n: 2 }, '2b': { value: 0.5, n: 2 } });
    expect(Object.keys(byType)).toEqual(['1a', '2b']);
    expect(unmapped).toBe(2);
  });

  test('chains of one question are one cluster of the interval', () => {
    const chains = ten.map((chain) => ({ ...chain, cluster: Math.floor(chain.chain / 2) }));
    expect(chainFigures(chains).pacc).toMatchObject({ n: 6, clusters: 3 });
  });

  test('chains that were left out are counted beside the figure', () => {
    expect(chainFigures(ten, { unjudged: 3 }).pacc.dropped).toEqual({ unjudged: 3 });
  });

  test('shares stay in [0, 1], and the order of chains changes nothing', () => {
    const chain = fc.record({
      label: fc.option(fc.nat(4), { nil: null }),
      flag: fc.option(fc.nat(4), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(chain, { maxLength: 12 }), (drawn) => {
        const chains = drawn.map(({ label, flag }, index) =>
          judged(index, { label, ...(flag !== undefined && { flag }) }),
        );
        const { byDataset, ...figures } = chainFigures(chains);
        expect(chainFigures(chains.toReversed())).toMatchObject(figures);
        expect(Object.keys(byDataset).length).toBe(chains.length === 0 ? 0 : 1);
        for (const { value = 0 } of [figures.pacc, figures.fpr, figures.precision]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 50 },
    );
  });
});

test('two monitors are compared on the chains that both judged, first minus second', () => {
  const second = [
    judged(0, { label: 2 }),
    judged(1, { label: 0, flag: 0 }),
    judged(2, { label: 5, flag: 5 }),
    judged(3, { label: 1 }),
    judged(4, { label: 1 }),
    judged(6, { label: null, flag: 1 }),
    judged(7, { label: null, flag: 2 }),
  ];
  const { pacc, fpr } = compareMonitors(ten, second);
  // Of chains 0 to 4 the first hits 0 and 1, the second 1 and 2
  expect(pacc).toMatchObject({ firstOnly: 1, secondOnly: 1, pValue: 1, difference: { value: 0, n: 5 } });
  // Of chains 6 and 7 the first alarms on 7, the second on both; one discordant pair: p = 1
  expect(fpr).toMatchObject({ firstOnly: 0, secondOnly: 1, pValue: 1, difference: { value: -0.5, n: 2 } });
});
