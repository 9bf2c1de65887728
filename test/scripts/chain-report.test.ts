import { expect, test } from 'vitest';
import { buildChainReport } from '../../scripts/chain-report.ts';
import { renderChainReport } from '../../scripts/render-chain-report.ts';
import type { JudgedRun } from '../../workers/metrics/read-judged-runs.ts';

const labels = [0, 1].map((cluster) => ({
  ...{ id: `c${String(cluster)}`, dataset: 'eic_gsm8k', cluster, steps: 4 },
  ...{ firstError: cluster === 0 ? 1 : null, errorType: 'calculation_error' },
}));

/** Two monitors on two chains: places 0 and 2 are the first one's. */
const runs: readonly JudgedRun[] = [0, 1, 2, 3].map((place) => ({
  place,
  flag: place < 2 ? { stepIndex: 1, errorType: '2b' } : undefined,
  dropped: place === 3 ? 'unjudged' : undefined,
  ...{ steps: 4, judgedSteps: 4, judgingMs: 2 },
  use: { calls: 4, tokensIn: 1_000, tokensOut: 50, tokensCached: 400 },
}));

const report = buildChainReport({
  ...{ labels, runs, monitors: ['asked', 'free'], seed: '0', seconds: 2 },
  prices: { asked: { input: 3, output: 10, cached: 1 } },
});

test('what a monitor asked of its model is summed over its runs alone, and priced', () => {
  // Two runs: 1,200 fresh tokens at 3, 800 cached at 1, 100 out at 10, each a million: 3,600 + 800 + 1,000
  expect(report).toMatchObject({
    use: { calls: 8, tokensIn: 2_000, tokensOut: 100, tokensCached: 800 },
    ...{ steps: 8, microsecondsPerStep: 500 },
  });
  expect(report.cost).toBeCloseTo(0.0054, 12);
  expect(report.against).not.toHaveProperty('cost');
  expect(renderChainReport(report)).toContain('8 calls, 2000 tokens in, 100 out, cost 0.005400\n');
});

test('a run that was not judged is counted and stands in no figure, nor in the comparison', () => {
  expect(report).toMatchObject({ chains: 2, pacc: { value: 1, n: 1 }, fpr: { value: 0, n: 1 } });
  expect(report.against).toMatchObject({ chains: 1, pacc: { n: 1, dropped: { unjudged: 1 } } });
  expect(report.compared).toMatchObject({ pacc: { difference: { n: 1 } }, fpr: { difference: { n: 0 } } });
});

test('F1 stands in the table with its interval', () => {
  expect(renderChainReport(report)).toMatch(/F1 +\[95%\]/);
});
