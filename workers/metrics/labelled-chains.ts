import { type TypeConfusion, TypeConfusionTally } from '../../shared/core/signatures/type-confusion.ts';
import { complement, harmonicMean } from '../../shared/core/statistics/harmonic-mean.ts';
import { clusteredShare } from '../../shared/core/statistics/share.ts';
import { pairedShares, type PairedShares } from '../../shared/core/statistics/paired-shares.ts';
import { type ErrorCode, errorCodes, type VerdictType } from '../../shared/core/taxonomy.ts';
import type { Estimate } from '../../shared/schemas/estimate.ts';

/** A labelled chain as one monitor judged it. */
export interface JudgedChain {
  /** The same number for the same chain under every monitor. */
  readonly chain: number;
  readonly dataset: string;
  /** A number of the question. */
  readonly cluster: number;
  /** Index of the first step with an error; null where the chain has none. */
  readonly firstError: number | null;
  /** Subtype of that error, where the source's label stands for one. */
  readonly code: ErrorCode | undefined;
  /** The first flagged step; undefined when none was. */
  readonly flag: { readonly stepIndex: number; readonly errorType: VerdictType } | undefined;
}

/** Where first flags stand, measured from the labelled step; negative is early. In steps. */
export interface FlagDistance {
  readonly n: number;
  readonly exact: number;
  readonly early: number;
  readonly late: number;
  readonly missed: number;
  /** Absent when nothing was flagged. */
  readonly mean?: number;
  readonly meanAbsolute?: number;
}

/** Figures of one set of chains. */
export interface PositionFigures {
  readonly chains: number;
  /** Share of erroneous chains whose first flagged step is the labelled one: PAcc (arXiv 2603.25412, section 5.1). */
  readonly pacc: Estimate;
  /** Share of chains without an error that have any flag. */
  readonly fpr: Estimate;
  /** Share of flagged chains that have an error, wherever the flag stands. */
  readonly precision: Estimate;
  /**
   * Harmonic mean of accuracy on erroneous chains (`pacc`) and on chains without an error (1 - `fpr`), as ProcessBench
   * defines it. Without a value where one of the two has no chain; 0 where one is 0. Interval: see `harmonicMean`.
   */
  readonly f1: Estimate;
  readonly distance: FlagDistance;
}

export interface ChainFigures extends PositionFigures {
  /** Of the hits whose label stands for a subtype: the share whose flag has that subtype. */
  readonly typeAccuracy: Estimate;
  readonly byDataset: Readonly<Record<string, PositionFigures>>;
  /** PAcc by subtype; erroneous chains without one are counted in `unmapped`. */
  readonly byType: Readonly<Partial<Record<ErrorCode, Estimate>>>;
  readonly unmapped: number;
  /** What the first flag was called where it stood at the label. */
  readonly typeConfusion: TypeConfusion;
}

/**
 * Every figure of one monitor on labelled chains. Intervals are Wilson's with one chain a question, cluster bootstrap
 * over questions else.
 *
 * @param dropped - chains left out, by reason
 */
export function chainFigures(
  judged: readonly JudgedChain[],
  dropped: Readonly<Record<string, number>> = {},
): ChainFigures {
  const erroneous = judged.filter(isErroneous);
  const byCode = groupBy(erroneous, ({ code }) => code ?? '');
  return {
    ...positionFigures(judged, dropped),
    typeAccuracy: typeAccuracy(erroneous),
    byDataset: Object.fromEntries(
      [...groupBy(judged, ({ dataset }) => dataset)].map(([name, group]) => [name, positionFigures(group)]),
    ),
    byType: Object.fromEntries(
      errorCodes.flatMap((code) => {
        const group = byCode.get(code);
        return group === undefined ? [] : [[code, shareOf(group, isHit)]];
      }),
    ),
    unmapped: byCode.get('')?.length ?? 0,
    typeConfusion: typeConfusion(erroneous),
  };
}

export interface ChainComparison {
  /** Chains that both monitors judged. */
  readonly pacc: PairedShares;
  readonly fpr: PairedShares;
}

/** Two monitors on the same chains: first minus second, and the exact paired test. */
export function compareMonitors(
  first: readonly JudgedChain[],
  second: readonly JudgedChain[],
): ChainComparison {
  const others = new Map(second.map((judged) => [judged.chain, judged]));
  const pairs = first.flatMap((judged) => {
    const other = others.get(judged.chain);
    return other === undefined ? [] : [{ judged, other }];
  });
  const compare = (chosen: typeof pairs, test: (judged: JudgedChain) => boolean): PairedShares =>
    pairedShares({
      first: chosen.map(({ judged }) => test(judged)),
      second: chosen.map(({ other }) => test(other)),
      clusters: chosen.map(({ judged }) => judged.cluster),
    });
  return {
    pacc: compare(
      pairs.filter(({ judged }) => isErroneous(judged)),
      isHit,
    ),
    fpr: compare(
      pairs.filter(({ judged }) => !isErroneous(judged)),
      isFlagged,
    ),
  };
}

function positionFigures(
  judged: readonly JudgedChain[],
  dropped: Readonly<Record<string, number>> = {},
): PositionFigures {
  const erroneous = judged.filter(isErroneous);
  const clean = judged.filter((chain) => !isErroneous(chain));
  const pacc = shareOf(erroneous, isHit, dropped);
  const fpr = shareOf(clean, isFlagged, dropped);
  return {
    chains: judged.length,
    pacc,
    fpr,
    precision: shareOf(judged.filter(isFlagged), isErroneous),
    f1: harmonicMean(pacc, complement(fpr), new Set(judged.map(({ cluster }) => cluster)).size),
    distance: flagDistance(erroneous),
  };
}

function typeAccuracy(erroneous: readonly JudgedChain[]): Estimate {
  const hits = erroneous.filter(isHit);
  const mapped = hits.filter(({ code }) => code !== undefined);
  const dropped = { notAtLabel: erroneous.length - hits.length, unmapped: hits.length - mapped.length };
  return shareOf(mapped, ({ flag, code }) => flag?.errorType === code, dropped);
}

function typeConfusion(erroneous: readonly JudgedChain[]): TypeConfusion {
  const tally = new TypeConfusionTally();
  for (const { code, firstError, flag } of erroneous)
    if (code !== undefined && firstError !== null) tally.add({ code, firstError, flag });
  return tally.result();
}

function flagDistance(erroneous: readonly JudgedChain[]): FlagDistance {
  const distances = erroneous.flatMap(({ flag, firstError }) =>
    flag === undefined || firstError === null ? [] : [flag.stepIndex - firstError],
  );
  const count = (test: (distance: number) => boolean): number => distances.filter(test).length;
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    n: distances.length,
    exact: count((distance) => distance === 0),
    early: count((distance) => distance < 0),
    late: count((distance) => distance > 0),
    missed: erroneous.length - distances.length,
    ...(distances.length > 0 && { mean: mean(distances), meanAbsolute: mean(distances.map(Math.abs)) }),
  };
}

function shareOf(
  judged: readonly JudgedChain[],
  test: (judged: JudgedChain) => boolean,
  dropped: Readonly<Record<string, number>> = {},
): Estimate {
  return clusteredShare(
    judged.map(test),
    judged.map(({ cluster }) => cluster),
    dropped,
  );
}

function isErroneous({ firstError }: JudgedChain): boolean {
  return firstError !== null;
}

function isFlagged({ flag }: JudgedChain): boolean {
  return flag !== undefined;
}

function isHit({ flag, firstError }: JudgedChain): boolean {
  return flag !== undefined && flag.stepIndex === firstError;
}

function groupBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
