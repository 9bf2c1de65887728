import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateSchema } from '../../../../shared/schemas/estimate.ts';
import { ratioSummaries } from '../../../../shared/core/statistics/ratio-summaries.ts';

describe('ratio summaries', () => {
  test('mean, median, geometric mean and ratio of means differ as they should', () => {
    // Ratios 1, 2, 4: mean 7/3, median 2, geometric mean 8^(1/3) = 2; sums 10 + 40 + 40 over 10 + 20 + 10 = 2.25.
    const summaries = ratioSummaries({
      numerators: [10, 40, 40],
      denominators: [10, 20, 10],
      clusters: [0, 1, 2],
    });
    expect(summaries.mean).toMatchObject({ n: 3, clusters: 3, rough: true, dropped: { zeroDenominator: 0 } });
    expect(summaries.mean.value).toBeCloseTo(7 / 3, 12);
    expect(summaries.median).toBe(2);
    expect(summaries.geometricMean).toBeCloseTo(2, 12);
    expect(summaries.ratioOfMeans).toBe(2.25);
  });

  test('a pair with denominator 0 is dropped and counted beside what was dropped before', () => {
    const pairs = { numerators: [5, 3, 0], denominators: [0, 1, 0], clusters: [0, 1, 2] };
    const { mean, ratioOfMeans } = ratioSummaries(pairs, { failed: 4 });
    expect(mean).toMatchObject({ value: 3, n: 1, dropped: { zeroDenominator: 2, failed: 4 } });
    expect(ratioOfMeans).toBe(3);
  });

  test('without a usable pair there is no figure at all', () => {
    const summaries = ratioSummaries({ numerators: [1], denominators: [0], clusters: [0] });
    expect(summaries).toEqual({
      mean: { n: 0, clusters: 0, dropped: { zeroDenominator: 1 }, method: 'cluster-bootstrap', rough: true },
    });
  });

  test('a numerator of 0 is a ratio of 0', () => {
    const summaries = ratioSummaries({ numerators: [0, 8], denominators: [4, 4], clusters: [0, 1] });
    expect(summaries).toMatchObject({ mean: { value: 1 }, median: 1, geometricMean: 0, ratioOfMeans: 1 });
  });

  test('the ratio of equal runs is 1 in every summary, with no doubt', () => {
    const counts = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(counts, (tokens) => {
        const clusters = tokens.map((_, pair) => pair % 7);
        const summaries = ratioSummaries({ numerators: tokens, denominators: tokens, clusters });
        expect(summaries).toMatchObject({
          mean: { value: 1, low: 1, high: 1 },
          median: 1,
          geometricMean: 1,
          ratioOfMeans: 1,
        });
      }),
    );
  });

  test('geometric mean never exceeds the mean, and the estimate fits the schema', () => {
    const pair = fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 5_000 }));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 30 }), (pairs) => {
        const numerators = pairs.map(([numerator]) => numerator);
        const denominators = pairs.map(([, denominator]) => denominator);
        const { mean, geometricMean = 0 } = ratioSummaries({
          numerators,
          denominators,
          clusters: pairs.map((_, place) => place),
        });
        const { value = 0, low = 0, high = 0, n, dropped } = estimateSchema.parse(mean);
        expect(geometricMean).toBeLessThanOrEqual(value * (1 + 1e-9));
        expect(low <= value && value <= high).toBe(true);
        expect(n + (dropped['zeroDenominator'] ?? NaN)).toBe(pairs.length);
      }),
      { numRuns: 60 },
    );
  });

  test('counts below 0 and arrays of different length are refused', () => {
    const negative = { numerators: [-1], denominators: [1], clusters: [0] };
    expect(() => ratioSummaries(negative)).toThrow('pair 0 is -1 / 1');
    const uneven = { numerators: [1], denominators: [1], clusters: [] };
    expect(() => ratioSummaries(uneven)).toThrow('1 numerators, 1 denominators, 0 cluster ids');
  });
});
