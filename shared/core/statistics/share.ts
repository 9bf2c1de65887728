import type { Estimate } from '../../schemas/estimate.ts';
import { clusterBootstrap } from './cluster-bootstrap.ts';
import { sumByCluster, total, type ClusterSums } from './clusters.ts';
import { estimate, type Dropped } from './estimate.ts';
import { wilson } from './wilson.ts';

/**
 * A share of records that are independent of each other (one run a question), with its Wilson 95% interval.
 *
 * @param successes - whole, in [0, n]
 * @param n - records scored; with 0 there is no value
 */
export function share(successes: number, n: number, dropped: Dropped = {}): Estimate {
  const interval = wilson(successes, n);
  return estimate({ value: successes / n, interval, n, clusters: n, dropped, method: 'wilson' });
}

/**
 * A share of records of which several can belong to one cluster (question): Wilson where none do, cluster bootstrap
 * else. When all clusters have the same share (all runs halted, or none) a bootstrap sees no spread and would claim
 * certainty; there the interval is Wilson's over clusters, as if each were one record.
 *
 * @param hits - one a record, in any order
 * @param clusters - cluster id of each record, any integers
 * @returns a share in [0, 1]; `value` is undefined when there are no records
 */
export function clusteredShare(
  hits: readonly boolean[],
  clusters: readonly number[],
  dropped: Dropped = {},
): Estimate {
  return shareOfSums(sumByCluster(hits.map(Number), clusters), dropped);
}

/** Like `clusteredShare`, from successes and records already summed by cluster (what a fold keeps). */
export function shareOfSums(clustered: ClusterSums, dropped: Dropped = {}): Estimate {
  const n = total(clustered.counts);
  const size = clustered.counts.length;
  const successes = total(clustered.sums);
  if (size === n) return share(successes, n, dropped);
  const value = successes / n;
  const interval = clusterBootstrap(clustered, { low: 0, high: 1 });
  if (interval.low < interval.high) {
    return estimate({ value, interval, n, clusters: size, dropped, method: 'cluster-bootstrap' });
  }
  return estimate({
    value,
    interval: wilson(value * size, size),
    n,
    clusters: size,
    dropped,
    method: 'wilson',
  });
}
