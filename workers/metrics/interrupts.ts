import type { Estimate } from '../../shared/schemas/estimate.ts';
import type { SummaryRow } from '../../shared/schemas/summary.ts';
import { scoredShare, type CaseRun } from './pairs.ts';

/** Share of scored runs with an unsafe verdict. */
export function flagged(runs: Iterable<CaseRun>): Estimate {
  return scoredShare(runs, (run) => run.flagged);
}

/** Share of scored runs that a verdict halted, in mid-stream (`cut`) or with the answer withheld (`blocked`). */
export function interrupted(runs: Iterable<CaseRun>): NonNullable<SummaryRow['interrupted']> {
  let cut = 0;
  let blocked = 0;
  const share = scoredShare(runs, (run) => {
    const isHalted = run.outcome === 'halted_verdict';
    if (isHalted && run.blocked) blocked += 1;
    else if (isHalted) cut += 1;
    return isHalted;
  });
  return { ...share, cut, blocked };
}
