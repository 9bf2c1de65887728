import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRandom, type Random } from '../../../../shared/core/random.ts';
import { clusterBootstrap } from '../../../../shared/core/statistics/cluster-bootstrap.ts';
import { sumByCluster } from '../../../../shared/core/statistics/clusters.ts';

const anyNumber = { low: -Infinity, high: Infinity };

describe('cluster bootstrap', () => {
  test('it holds the mean of 100 lognormal ratios of sigma 0.3 in 92% to 98% of 1,000 data sets', () => {
    const random = createRandom('coverage of the bootstrap');
    const counts = new Float64Array(100).fill(1);
    const truth = Math.exp(0.3 ** 2 / 2);
    let held = 0;
    for (let dataSet = 0; dataSet < 1_000; dataSet += 1) {
      const sums = counts.map(() => Math.exp(0.3 * normal(random)));
      const { low, high } = clusterBootstrap({ sums, counts }, { low: 0, high: Infinity });
      if (low <= truth && truth <= high) held += 1;
    }
    expect(held).toBeGreaterThanOrEqual(920);
    expect(held).toBeLessThanOrEqual(980);
  });

  test('one cluster, or equal values, give the value itself', () => {
    expect(interval([1.5, 2.5], [7, 7])).toEqual({ low: 2, high: 2 });
    expect(interval([3, 3, 3], [0, 1, 2])).toEqual({ low: 3, high: 3 });
    expect(interval([0, 0], [0, 1])).toEqual({ low: 0, high: 0 });
    // 0.1 has no exact double: sums of it must not pass for spread.
    expect(interval(new Array<number>(9).fill(0.1), [0, 0, 0, 1, 1, 2, 2, 2, 2])).toEqual({
      low: expect.closeTo(0.1, 12) as number,
      high: expect.closeTo(0.1, 12) as number,
    });
  });

  test('of many even values it is near the normal interval', () => {
    // 0 and 2 in turn, n = 400: mean 1, standard error 1/20, so 1 -+ 0.098.
    const { low, high } = interval(
      Array.from({ length: 400 }, (_, record) => 2 * (record % 2)),
      Array.from({ length: 400 }, (_, record) => record),
    );
    expect(low).toBeGreaterThan(0.89);
    expect(low).toBeLessThan(0.915);
    expect(high).toBeGreaterThan(1.085);
    expect(high).toBeLessThan(1.11);
  });

  test('above 5,000 clusters, drawn in groups, it keeps its width', () => {
    const random = createRandom('many clusters');
    const values = Array.from({ length: 20_000 }, () => normal(random));
    const { low, high } = interval(
      values,
      values.map((_, record) => record),
    );
    const normalWidth = (2 * 1.96) / Math.sqrt(20_000);
    expect((high - low) / normalWidth).toBeGreaterThan(0.9);
    expect((high - low) / normalWidth).toBeLessThan(1.1);
  });

  test('copies of records inside their clusters add no certainty', () => {
    const values = [1, 2, 4, 8, 3, 5, 2, 7];
    const clusters = values.map((_, record) => record);
    const once = interval(values, clusters);
    const thrice = interval([...values, ...values, ...values], [...clusters, ...clusters, ...clusters]);
    expect(thrice.low).toBeCloseTo(once.low, 9);
    expect(thrice.high).toBeCloseTo(once.high, 9);
  });

  test('whatever the values, the interval is finite, holds the mean and moves with its scale', () => {
    const records = fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 1e9 }).map((units) => units / 1_000),
        fc.integer({ min: 0, max: 9 }),
      ),
      {
        minLength: 1,
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(records, (pairs) => {
        const values = pairs.map(([value]) => value);
        const clusters = pairs.map(([, cluster]) => cluster);
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const slack = 1e-9 * (1 + mean);
        const { low, high } = interval(values, clusters);
        expect(Number.isFinite(low) && Number.isFinite(high)).toBe(true);
        expect(low).toBeLessThanOrEqual(mean + slack);
        expect(high).toBeGreaterThanOrEqual(mean - slack);
        const doubled = interval(
          values.map((value) => 2 * value),
          clusters,
        );
        expect(doubled).toEqual({ low: 2 * low, high: 2 * high });
      }),
      { numRuns: 60 },
    );
  });

  test('of no records there is no interval', () => {
    expect(() => interval([], [])).toThrow('interval of no records');
    expect(() => interval([NaN], [1])).toThrow('value 0 is NaN');
  });
});

function interval(values: readonly number[], clusters: readonly number[]) {
  return clusterBootstrap(sumByCluster(values, clusters), anyNumber);
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
