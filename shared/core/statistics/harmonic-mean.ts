import type { Estimate } from '../../schemas/estimate.ts';
import { estimate } from './estimate.ts';

/**
 * Harmonic mean of two shares: F1 as ProcessBench (arXiv 2412.06559) makes it of accuracy on erroneous chains and on
 * correct ones. 0 where one of the two is 0.
 *
 * Its 95% interval comes from those of the two shares (`method` 'delta'): how far each end lies from its share, times
 * the slope of the mean there, added as squares (G. Y. Zou and A. Donner, Statistics in Medicine 27, 2008, p. 1693). The
 * two are taken as independent: they rest on different chains, some of them of one question.
 *
 * @param clusters - questions behind both
 * @returns without `value` where one of the shares has none
 */
export function harmonicMean(first: Estimate, second: Estimate, clusters: number): Estimate {
  const [a, b] = [partOf(first), partOf(second)];
  const n = a && b ? first.n + second.n : 0;
  const shared = { n, clusters: n === 0 ? 0 : clusters, dropped: first.dropped, method: 'delta' } as const;
  if (!a || !b) return estimate({ ...shared, value: 0, interval: { low: 0, high: 0 } });
  const sum = a.value + b.value;
  const value = sum === 0 ? 0 : (2 * a.value * b.value) / sum;
  // d(2ab / (a + b)) / da = 2 b² / (a + b)²; at 0 and 0 the mean rises with the smaller of both.
  const slopes = sum === 0 ? [1, 1] : [2 * (b.value / sum) ** 2, 2 * (a.value / sum) ** 2];
  const distance = (of: (part: Part) => number): number =>
    Math.hypot((slopes[0] ?? 0) * of(a), (slopes[1] ?? 0) * of(b));
  return estimate({
    ...shared,
    value,
    interval: {
      low: Math.max(0, value - distance((part) => part.below)),
      high: Math.min(1, value + distance((part) => part.above)),
    },
  });
}

interface Part {
  readonly value: number;
  readonly below: number;
  readonly above: number;
}

function partOf({ value, low, high }: Estimate): Part | undefined {
  if (value === undefined || low === undefined || high === undefined) return undefined;
  return { value, below: value - low, above: high - value };
}

/** The share of those that a share leaves. */
export function complement({ value, low, high, ...rest }: Estimate): Estimate {
  if (value === undefined || low === undefined || high === undefined) return rest;
  return { ...rest, value: 1 - value, low: 1 - high, high: 1 - low };
}
