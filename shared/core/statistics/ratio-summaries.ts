import type { Estimate } from '../../schemas/estimate.ts';
import { clusterBootstrap } from './cluster-bootstrap.ts';
import { sumByCluster, total } from './clusters.ts';
import { estimate, type Dropped } from './estimate.ts';
import { quantile } from './percentiles.ts';

/** Pairs of one case each: three arrays of one length. `clusters` holds the question of each, as any integer. */
export interface RatioPairs {
  readonly numerators: readonly number[];
  readonly denominators: readonly number[];
  readonly clusters: readonly number[];
}

export interface RatioSummaries {
  /** Mean over pairs of numerator / denominator: what TAF and LAF are (arXiv 2603.25412, section 5). */
  readonly mean: Estimate;
  /** These three are absent when no pair is left. */
  readonly median?: number;
  /** 0 as soon as one numerator is 0. */
  readonly geometricMean?: number;
  /** Sum of numerators / sum of denominators: long cases weigh more. */
  readonly ratioOfMeans?: number;
}

/**
 * Several ways to sum up ratios: a mean of ratios is pulled up by a few short denominators, and the others show it.
 * A pair with denominator 0 is dropped and counted as `zeroDenominator`.
 *
 * @param pairs - finite numbers, 0 or more, in any order
 * @param dropped - what the caller left out already, by reason
 * @throws RangeError on arrays of different length, and on negative or non-finite numbers
 */
export function ratioSummaries(pairs: RatioPairs, dropped: Dropped = {}): RatioSummaries {
  const kept = keepUsable(pairs);
  const n = kept.ratios.length;
  const allDropped = { ...dropped, zeroDenominator: pairs.numerators.length - n };
  const method = 'cluster-bootstrap';
  if (n === 0) {
    const interval = { low: 0, high: 0 };
    return { mean: estimate({ value: 0, interval, n, clusters: 0, dropped: allDropped, method }) };
  }
  const clustered = sumByCluster(kept.ratios, kept.clusters);
  const interval = clusterBootstrap(clustered, { low: 0, high: Infinity });
  const value = total(clustered.sums) / n;
  const clusters = clustered.counts.length;
  return {
    mean: estimate({ value, interval, n, clusters, dropped: allDropped, method }),
    median: quantile(Float64Array.from(kept.ratios).sort(), 0.5),
    geometricMean: Math.exp(kept.ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / n),
    ratioOfMeans: kept.numeratorSum / kept.denominatorSum,
  };
}

function keepUsable({ numerators, denominators, clusters }: RatioPairs) {
  if (numerators.length !== denominators.length || numerators.length !== clusters.length) {
    throw new RangeError(
      `${numerators.length} numerators, ${denominators.length} denominators, ${clusters.length} cluster ids`,
    );
  }
  const kept = { ratios: [] as number[], clusters: [] as number[], numeratorSum: 0, denominatorSum: 0 };
  numerators.forEach((numerator, pair) => {
    const denominator = denominators[pair] ?? NaN;
    if (!isCount(numerator) || !isCount(denominator)) {
      throw new RangeError(
        `pair ${pair} is ${numerator} / ${denominator}: expected finite numbers from 0 up`,
      );
    }
    if (denominator === 0) return;
    kept.ratios.push(numerator / denominator);
    kept.clusters.push(clusters[pair] ?? 0);
    kept.numeratorSum += numerator;
    kept.denominatorSum += denominator;
  });
  return kept;
}

function isCount(number: number): boolean {
  return Number.isFinite(number) && number >= 0;
}
