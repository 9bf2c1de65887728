import type { Estimate } from '../../schemas/estimate.ts';

/** A 95% interval; both ends belong to it. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Counts of what was left out of a figure, by reason. */
export type Dropped = Readonly<Record<string, number>>;

/** From this many questions on, a figure is not called rough. */
export const roughBelow = 30;

/** The 97.5% point of the standard normal distribution. */
export const z95 = 1.959963984540054;

/**
 * Puts a figure and its basis together, and marks it rough when it rests on fewer than 30 clusters (questions).
 *
 * @param figure - `n` and `clusters` are whole; with `n` 0, `value` and `interval` are left out whatever they are
 */
export function estimate(figure: {
  readonly value: number;
  readonly interval: Interval;
  readonly n: number;
  readonly clusters: number;
  readonly dropped: Dropped;
  readonly method: Estimate['method'];
}): Estimate {
  const { value, interval, n, clusters, dropped, method } = figure;
  return {
    ...(n > 0 && { value, low: interval.low, high: interval.high }),
    n,
    clusters,
    dropped: { ...dropped },
    method,
    ...(clusters < roughBelow && { rough: true as const }),
  };
}
