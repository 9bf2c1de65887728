import type { Estimate } from '../../schemas/estimate.ts';
import { clusterBootstrap } from './cluster-bootstrap.ts';
import { sumByCluster, total } from './clusters.ts';
import { estimate, type Dropped, type Interval } from './estimate.ts';
import { mcnemar } from './mcnemar.ts';
import { wilson } from './wilson.ts';

/** Two arms scored on the same cases: three arrays of one length. `clusters` is each pair's question, any integer. */
export interface SharePairs {
  readonly first: readonly boolean[];
  readonly second: readonly boolean[];
  readonly clusters: readonly number[];
}

export interface PairedShares {
  /** Share of the first arm minus share of the second, in [-1, 1]. */
  readonly difference: Estimate;
  /** Pairs in which one arm alone scored. */
  readonly firstOnly: number;
  readonly secondOnly: number;
  /**
   * Exact, two-sided. Over questions: a question speaks for the arm that scored more of its pairs. With one pair a
   * question that is McNemar's test; with repeats, pairs of one question are no independent coins. 1 when there are none.
   */
  readonly pValue: number;
}

/**
 * Difference of two paired shares with a 95% interval: Newcombe's with one pair a question, cluster bootstrap else
 * (and Newcombe's over questions when the differences show no spread, which proves nothing).
 *
 * @throws RangeError on arrays of different length
 */
export function pairedShares({ first, second, clusters }: SharePairs, dropped: Dropped = {}): PairedShares {
  if (first.length !== second.length) throw new RangeError(`${first.length} and ${second.length} outcomes`);
  const table = { both: 0, firstOnly: 0, secondOnly: 0, neither: 0 };
  const differences = first.map((hit, pair) => {
    const otherHit = second[pair] === true;
    table[hit ? (otherHit ? 'both' : 'firstOnly') : otherHit ? 'secondOnly' : 'neither'] += 1;
    return Number(hit) - Number(otherHit);
  });
  const clustered = sumByCluster(differences, clusters);
  const size = clustered.counts.length;
  const bootstrap =
    size < first.length ? clusterBootstrap(clustered, { low: -1, high: 1 }) : { low: 0, high: 0 };
  const hasSpread = bootstrap.low < bootstrap.high;
  return {
    difference: estimate({
      value: total(clustered.sums) / first.length,
      interval: hasSpread ? bootstrap : newcombe(table, size),
      n: first.length,
      clusters: size,
      dropped,
      method: hasSpread ? 'cluster-bootstrap' : 'newcombe',
    }),
    firstOnly: table.firstOnly,
    secondOnly: table.secondOnly,
    pValue: mcnemar(
      clustered.sums.filter((sum) => sum > 0).length,
      clustered.sums.filter((sum) => sum < 0).length,
    ),
  };
}

interface PairTable {
  readonly both: number;
  readonly firstOnly: number;
  readonly secondOnly: number;
  readonly neither: number;
}

/**
 * R. G. Newcombe's interval for the difference of paired shares (Statistics in Medicine 17, 1998, p. 2635: method 10),
 * made of the two Wilson intervals and the correlation between the arms.
 *
 * @param size - how many independent pairs the table is worth: its total, or the number of questions if that is less
 */
export function newcombe(table: PairTable, size: number): Interval {
  const pairs = table.both + table.firstOnly + table.secondOnly + table.neither;
  if (pairs === 0) return { low: -1, high: 1 };
  const scale = size / pairs;
  const [both, firstOnly, secondOnly, neither] = [
    table.both * scale,
    table.firstOnly * scale,
    table.secondOnly * scale,
    table.neither * scale,
  ];
  const first = distances(both + firstOnly, size);
  const second = distances(both + secondOnly, size);
  const phi = correlation({ both, firstOnly, secondOnly, neither });
  const difference = first.share - second.share;
  return {
    low: Math.max(-1, difference - hypotenuse(first.below, second.above, phi)),
    high: Math.min(1, difference + hypotenuse(first.above, second.below, phi)),
  };
}

/** How far the ends of the Wilson interval lie from the share. */
function distances(successes: number, n: number) {
  // Scaled counts may add up to a hair more than their total.
  const bounded = Math.min(successes, n);
  const share = bounded / n;
  const { low, high } = wilson(bounded, n);
  return { share, below: share - low, above: high - share };
}

function hypotenuse(left: number, right: number, phi: number): number {
  return Math.sqrt(Math.max(0, left * left - 2 * phi * left * right + right * right));
}

/** Correlation of the two arms; a positive one is corrected for continuity, and none can be had from an empty margin. */
function correlation({ both, firstOnly, secondOnly, neither }: PairTable): number {
  const margins = (both + firstOnly) * (secondOnly + neither) * (both + secondOnly) * (firstOnly + neither);
  if (margins === 0) return 0;
  const determinant = both * neither - firstOnly * secondOnly;
  const n = both + firstOnly + secondOnly + neither;
  const corrected = determinant > 0 ? Math.max(0, determinant - n / 2) : determinant;
  return corrected / Math.sqrt(margins);
}
