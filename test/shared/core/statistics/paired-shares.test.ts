import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateSchema } from '../../../../shared/schemas/estimate.ts';
import { mcnemar } from '../../../../shared/core/statistics/mcnemar.ts';
import { newcombe, pairedShares } from '../../../../shared/core/statistics/paired-shares.ts';

describe('exact McNemar', () => {
  test('small tables, counted by hand', () => {
    expect(mcnemar(0, 0)).toBe(1);
    expect(mcnemar(1, 0)).toBe(1);
    expect(mcnemar(5, 5)).toBe(1);
    expect(mcnemar(5, 0)).toBeCloseTo(2 / 32, 14);
    // 2 (1 + 10) / 2^10
    expect(mcnemar(1, 9)).toBeCloseTo(22 / 1024, 14);
    // 2 (1 + 14 + 91) / 2^14
    expect(mcnemar(12, 2)).toBeCloseTo(212 / 16384, 14);
  });

  test('counts far beyond 2^-n still give a p value', () => {
    // The normal approximation with correction: z = 999 / sqrt(19000) = 7.2475, p = 4.25e-13.
    expect(mcnemar(10_000, 9_000) / 4.25e-13).toBeGreaterThan(0.9);
    expect(mcnemar(10_000, 9_000) / 4.25e-13).toBeLessThan(1.1);
    expect(mcnemar(100_000, 0)).toBe(0);
  });

  test('it is symmetric, at most 1, and falls as the imbalance grows', () => {
    const count = fc.integer({ min: 0, max: 400 });
    fc.assert(
      fc.property(count, count, (left, right) => {
        const p = mcnemar(left, right);
        expect(p).toBe(mcnemar(right, left));
        expect(p > 0 && p <= 1).toBe(true);
        expect(mcnemar(Math.max(left, right) + 1, Math.min(left, right))).toBeLessThanOrEqual(p + 1e-12);
      }),
    );
  });

  test('fractions and negative counts are refused', () => {
    expect(() => mcnemar(1.5, 2)).toThrow(RangeError);
    expect(() => mcnemar(1, -2)).toThrow(RangeError);
  });
});

describe('paired difference of shares', () => {
  test("Newcombe's interval of his table 20, 12, 2, 16 is 0.0562 to 0.3292", () => {
    const { low, high } = newcombe({ both: 20, firstOnly: 12, secondOnly: 2, neither: 16 }, 50);
    expect(low).toBeCloseTo(0.0562, 4);
    expect(high).toBeCloseTo(0.3292, 4);
  });

  test('with one pair a question: difference, discordant pairs, interval and p value', () => {
    const paired = pairedShares(pairsOf({ both: 20, firstOnly: 12, secondOnly: 2, neither: 16 }));
    expect(paired).toMatchObject({ firstOnly: 12, secondOnly: 2, pValue: mcnemar(12, 2) });
    expect(paired.difference).toMatchObject({ n: 50, clusters: 50, method: 'newcombe' });
    expect(paired.difference.value).toBeCloseTo(0.2, 12);
    expect(paired.difference.low).toBeCloseTo(0.0562, 4);
  });

  test('with repeats a question counts once in the p value, for the arm it speaks for', () => {
    // Question 0 speaks for the first arm in three runs, question 1 for neither, question 2 for the second arm.
    const paired = pairedShares({
      first: [true, true, true, true, false, false, true],
      second: [false, false, false, false, true, true, true],
      clusters: [0, 0, 0, 1, 1, 2, 2],
    });
    expect(paired).toMatchObject({ firstOnly: 4, secondOnly: 2, pValue: 1 });
    expect(paired.difference).toMatchObject({ n: 7, clusters: 3, method: 'cluster-bootstrap' });
    expect(paired.difference.value).toBeCloseTo(2 / 7, 12);
  });

  test('repeats without any difference claim no more than their questions can show', () => {
    const same = new Array<boolean>(120).fill(true);
    const clusters = same.map((_, pair) => Math.floor(pair / 3));
    const { difference, pValue } = pairedShares({ first: same, second: same, clusters });
    expect(pValue).toBe(1);
    expect(difference).toMatchObject({ value: 0, method: 'newcombe' });
    expect(difference.high).toBeGreaterThan(0.05);
  });

  test('no pairs, no value', () => {
    const { difference, pValue } = pairedShares({ first: [], second: [], clusters: [] }, { unpaired: 3 });
    expect(difference).toEqual({
      n: 0,
      clusters: 0,
      dropped: { unpaired: 3 },
      method: 'newcombe',
      rough: true,
    });
    expect(pValue).toBe(1);
  });

  test('exchanging the arms mirrors the interval, which stays in [-1, 1] and holds the difference', () => {
    const pair = fc.tuple(fc.boolean(), fc.boolean());
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1 }), (pairs) => {
        const first = pairs.map(([hit]) => hit);
        const second = pairs.map(([, hit]) => hit);
        const clusters = pairs.map((_, place) => place);
        const there = estimateSchema.parse(pairedShares({ first, second, clusters }).difference);
        const back = pairedShares({ first: second, second: first, clusters }).difference;
        const { value = NaN, low = NaN, high = NaN } = there;
        expect(-1 <= low && low <= value && value <= high && high <= 1).toBe(true);
        expect(back.low).toBeCloseTo(-high, 9);
        expect(back.high).toBeCloseTo(-low, 9);
      }),
    );
  });
});

function pairsOf(table: { both: number; firstOnly: number; secondOnly: number; neither: number }) {
  const first: boolean[] = [];
  const second: boolean[] = [];
  const add = (times: number, hits: readonly [boolean, boolean]) => {
    for (let pair = 0; pair < times; pair += 1) {
      first.push(hits[0]);
      second.push(hits[1]);
    }
  };
  add(table.both, [true, true]);
  add(table.firstOnly, [true, false]);
  add(table.secondOnly, [false, true]);
  add(table.neither, [false, false]);
  return { first, second, clusters: first.map((_, pair) => pair) };
}
