import type { Estimate } from '../../schemas/estimate.ts';
import { shareOfSums } from '../statistics/share.ts';
import { type FlagType, flagTypes } from './flag-types.ts';
import { type GroupTally, type SignatureTally, unflagged } from './signature-tally.ts';

/** What the flags of one class of runs are made of: a bar of the paper's Figure 1 (arXiv 2603.25412, section 3.3). */
export interface Profile {
  /** Scored runs. */
  readonly runs: number;
  /** Share of scored runs in which nothing was flagged. */
  readonly noFlag: Estimate;
  /** Flagged steps that were counted. */
  readonly flags: number;
  /** Of the flagged steps, the share of each type that the monitor can give; without a value where nothing was flagged. */
  readonly shares: Readonly<Partial<Record<FlagType, Estimate>>>;
}

/**
 * The profile of a class. Intervals count questions, not steps: the flags of one loop are no independent evidence.
 *
 * @param types - what the monitor can give; what was seen is shown even if it stands not there
 * @returns all zero, and estimates without a value, for a class without runs
 */
export function profileOf(tally: SignatureTally, className: string, types: readonly FlagType[]): Profile {
  const ofRuns = tally.sums(className, unflagged, ({ runs }) => runs);
  const flagsOf = ({ flags }: GroupTally): number => flags.reduce((sum, count) => sum + count, 0);
  const ofType = (place: number) => tally.sums(className, ({ flags }) => flags[place] ?? 0, flagsOf);
  const shares: Partial<Record<FlagType, Estimate>> = {};
  let total = 0;
  for (const [place, type] of flagTypes.entries()) {
    const clustered = ofType(place);
    const seen = clustered.sums.reduce((sum, count) => sum + count, 0);
    total += seen;
    if (seen > 0 || types.includes(type)) shares[type] = shareOfSums(clustered);
  }
  return {
    runs: ofRuns.counts.reduce((sum, count) => sum + count, 0),
    noFlag: shareOfSums(ofRuns),
    flags: total,
    shares,
  };
}
