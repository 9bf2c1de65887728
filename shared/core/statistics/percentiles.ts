export interface Percentiles {
  readonly n: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/**
 * @param values - finite numbers in any order; left as they are
 * @returns median, 95th percentile and largest of the values, in their unit; undefined when there are none
 */
export function percentiles(values: readonly number[]): Percentiles | undefined {
  if (values.length === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  return {
    n: sorted.length,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    max: quantile(sorted, 1),
  };
}

/**
 * Quantile by linear interpolation between neighbours (Hyndman and Fan's type 7: 0.5 is the usual median).
 *
 * @param sorted - ascending
 * @param share - in [0, 1]
 * @returns NaN when there are no values
 */
export function quantile(sorted: Float64Array, share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? NaN;
  const above = sorted[Math.ceil(position)] ?? NaN;
  // Equal neighbours are not interpolated: rounding would move the result off both.
  return below === above ? below : below + (position - Math.floor(position)) * (above - below);
}
