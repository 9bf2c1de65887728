import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { complement, harmonicMean } from '../../../../shared/core/statistics/harmonic-mean.ts';
import { share } from '../../../../shared/core/statistics/share.ts';

const of = (value: number, low: number, high: number) => ({ ...share(value * 40, 40), value, low, high });

describe('the harmonic mean of two shares', () => {
  test('has the ends of its parts, each times the slope there, added as squares', () => {
    // a = 0.2 [0.1, 0.4], b = 0.6 [0.5, 0.65]: mean 2 · 0.12 / 0.8 = 0.3; slopes 2 · 0.75² = 1.125 and 2 · 0.25² = 0.125
    // below: √((1.125 · 0.1)² + (0.125 · 0.1)²) = √(0.01265625 + 0.00015625) = 0.113192
    // above: √((1.125 · 0.2)² + (0.125 · 0.05)²) = √(0.050625 + 0.0000390625) = 0.225087
    const mean = harmonicMean(of(0.2, 0.1, 0.4), of(0.6, 0.5, 0.65), 70);
    expect(mean).toMatchObject({ n: 80, clusters: 70, method: 'delta' });
    expect(mean.value).toBeCloseTo(0.3, 12);
    expect(mean.low).toBeCloseTo(0.3 - 0.113192, 5);
    expect(mean.high).toBeCloseTo(0.3 + 0.225087, 5);
  });

  test('is 0 where a part is 0, and unknown where a part is unknown', () => {
    expect(harmonicMean(share(0, 40), share(40, 40), 80)).toMatchObject({ value: 0, low: 0 });
    expect(harmonicMean(share(0, 40), share(0, 40), 80)).toMatchObject({ value: 0, low: 0 });
    const unknown = harmonicMean(share(3, 40), share(0, 0), 40);
    expect(unknown).toMatchObject({ n: 0, clusters: 0 });
    expect(unknown).not.toHaveProperty('value');
    expect(unknown).not.toHaveProperty('low');
  });

  test('lies within its interval, and between its parts', () => {
    const part = fc.integer({ min: 1, max: 200 }).chain((n) => fc.nat(n).map((hits) => share(hits, n)));
    fc.assert(
      fc.property(part, part, (first, second) => {
        const { value = NaN, low = NaN, high = NaN } = harmonicMean(first, second, first.n);
        const parts = [first.value ?? NaN, second.value ?? NaN];
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThanOrEqual(value);
        expect(high).toBeLessThanOrEqual(1);
        expect(value).toBeGreaterThanOrEqual(Math.min(...parts) - 1e-12);
        expect(value).toBeLessThanOrEqual(Math.max(...parts) + 1e-12);
      }),
    );
  });
});

test('a complement has its ends swapped', () => {
  expect(complement(of(0.25, 0.125, 0.5))).toMatchObject({ value: 0.75, low: 0.5, high: 0.875, n: 40 });
  expect(complement(share(0, 0))).not.toHaveProperty('value');
});
