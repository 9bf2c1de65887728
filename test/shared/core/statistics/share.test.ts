import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateSchema } from '../../../../shared/schemas/estimate.ts';
import { createRandom } from '../../../../shared/core/random.ts';
import { clusteredShare, share } from '../../../../shared/core/statistics/share.ts';
import { wilson } from '../../../../shared/core/statistics/wilson.ts';

describe('Wilson interval', () => {
  test('3 of 10 lies between 0.1078 and 0.6032', () => {
    // centre (0.3 + 3.8415/20) / 1.38415 = 0.35551; half 1.95996/1.38415 * sqrt(0.021 + 3.8415/400) = 0.24772
    expect(wilson(3, 10).low).toBeCloseTo(0.10779, 5);
    expect(wilson(3, 10).high).toBeCloseTo(0.60322, 5);
  });

  test('none and all give one-sided intervals that end exactly at 0 and 1', () => {
    // z^2 / (n + z^2) = 3.8415 / 13.8415
    expect(wilson(0, 10)).toEqual({ low: 0, high: expect.closeTo(0.27753, 5) as number });
    expect(wilson(10, 10)).toEqual({ low: expect.closeTo(0.72247, 5) as number, high: 1 });
  });

  test('of nothing, nothing is known', () => {
    expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
    expect(() => wilson(2, 1)).toThrow('share of 2 out of 1');
    expect(() => wilson(NaN, 1)).toThrow(RangeError);
  });

  for (const n of [30, 100]) {
    for (const truth of [0.05, 0.1, 0.3, 0.5, 0.8]) {
      test(`it holds a share of ${truth} in 92% to 98% of samples of ${n}, summed exactly`, () => {
        let coverage = 0;
        for (let successes = 0; successes <= n; successes += 1) {
          const { low, high } = wilson(successes, n);
          if (low <= truth && truth <= high) coverage += binomial(n, successes, truth);
        }
        expect(coverage).toBeGreaterThanOrEqual(0.92);
        expect(coverage).toBeLessThanOrEqual(0.98);
      });
    }
  }
});

describe('share', () => {
  test('of no runs it has no value, not 0', () => {
    expect(share(0, 0, { failed: 2 })).toEqual({
      n: 0,
      clusters: 0,
      dropped: { failed: 2 },
      method: 'wilson',
      rough: true,
    });
    expect(clusteredShare([], [])).not.toHaveProperty('value');
  });

  test('it is rough below 30 questions', () => {
    expect(share(3, 29).rough).toBe(true);
    expect(share(3, 30)).not.toHaveProperty('rough');
    expect(clusteredShare(repeated(20, 3), thirds(20)).rough).toBe(true);
  });

  test('with one run a question it is the plain share with its Wilson interval', () => {
    expect(clusteredShare([true, false, false, true], [4, -1, 7, 2])).toEqual(share(2, 4));
  });

  test('with repeats the interval knows that runs of one question hang together', () => {
    // 40 questions, each all right or all wrong in its three runs: worth 40 runs, not 120.
    const hits = Array.from({ length: 120 }, (_, run) => Math.floor(run / 3) % 2 === 0);
    const estimate = clusteredShare(hits, thirds(40));
    expect(estimate).toMatchObject({ value: 0.5, n: 120, clusters: 40, method: 'cluster-bootstrap' });
    const { low, high } = wilson(20, 40);
    expect(width(estimate) / (high - low)).toBeGreaterThan(0.9);
    expect(width(estimate) / (high - low)).toBeLessThan(1.15);
  });

  test('no spread between questions is no certainty: then it is Wilson over questions', () => {
    const estimate = clusteredShare(new Array<boolean>(150).fill(false), thirds(50));
    expect(estimate).toMatchObject({ value: 0, low: 0, n: 150, clusters: 50, method: 'wilson' });
    expect(estimate.high).toBeCloseTo(wilson(0, 50).high, 12);
  });

  test('it stays in [0, 1] inside its interval, ignores order and fits the schema', () => {
    const records = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: -3, max: 12 })), { minLength: 1 });
    fc.assert(
      fc.property(records, fc.string(), (runs, seed) => {
        const estimate = shareOf(runs);
        const { value = NaN, low = NaN, high = NaN } = estimateSchema.parse(estimate);
        expect(0 <= low && low <= value && value <= high && high <= 1).toBe(true);
        expect(shareOf(createRandom(seed).shuffle(runs))).toEqual(estimate);
      }),
      { numRuns: 60 },
    );
  });

  test('hits and cluster ids must pair up', () => {
    expect(() => clusteredShare([true, false], [1])).toThrow('2 values of 1 cluster ids');
  });
});

function shareOf(runs: readonly (readonly [boolean, number])[]) {
  return clusteredShare(
    runs.map(([hit]) => hit),
    runs.map(([, cluster]) => cluster),
  );
}

function thirds(questions: number): number[] {
  return Array.from({ length: 3 * questions }, (_, run) => Math.floor(run / 3));
}

function repeated(questions: number, times: number): boolean[] {
  return Array.from({ length: questions * times }, (_, run) => run % 2 === 0);
}

function width({ low = NaN, high = NaN }: { low?: number; high?: number }): number {
  return high - low;
}

function binomial(n: number, k: number, p: number): number {
  let probability = 1;
  for (let factor = 1; factor <= k; factor += 1) probability *= ((n - k + factor) / factor) * p;
  return probability * (1 - p) ** (n - k);
}
