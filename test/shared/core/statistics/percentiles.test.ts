import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { percentiles } from '../../../../shared/core/statistics/percentiles.ts';

describe('percentiles', () => {
  test('they lie between neighbours where no value stands exactly there', () => {
    // Places 0 to 3: the median at 1.5, the 95th percentile at 2.85.
    const result = percentiles([40, 10, 30, 20]);
    expect(result).toMatchObject({ n: 4, p50: 25, max: 40 });
    expect(result?.p95).toBeCloseTo(38.5, 12);
    const upToHundred = Array.from({ length: 101 }, (_, value) => 100 - value);
    expect(percentiles(upToHundred)).toEqual({ n: 101, p50: 50, p95: 95, max: 100 });
  });

  test('of one value all are that value, and of none there are none', () => {
    expect(percentiles([7])).toEqual({ n: 1, p50: 7, p95: 7, max: 7 });
    expect(percentiles([])).toBeUndefined();
  });

  test('they are ordered, inside the values, and leave the argument as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1 }), (values) => {
        const before = [...values];
        const { p50 = NaN, p95 = NaN, max = NaN } = percentiles(values) ?? {};
        expect(values).toEqual(before);
        expect(Math.min(...values) <= p50 && p50 <= p95 && p95 <= max).toBe(true);
        expect(max).toBe(Math.max(...values));
      }),
    );
  });
});
