import { ratioSummaries } from '../../shared/core/statistics/ratio-summaries.ts';
import { clusteredShare } from '../../shared/core/statistics/share.ts';
import type { Estimate } from '../../shared/schemas/estimate.ts';
import type { RatioEstimate } from '../../shared/schemas/summary.ts';
import { type CaseFacts, dropReason, type RunFacts } from './run-facts.ts';

/** A run in one of its cases, with the runs that it is compared with, as far as they are there. */
export interface CaseRun extends CaseFacts {
  /** The question, as a number. */
  readonly cluster: number;
  readonly run: RunFacts;
  readonly clean: RunFacts | undefined;
  readonly attacked: RunFacts | undefined;
}

export class DropCounts {
  readonly counts: Record<string, number> = {};

  add(reason: string): void {
    this.counts[reason] = (this.counts[reason] ?? 0) + 1;
  }
}

/**
 * A share of scored runs.
 *
 * @param isHit - undefined leaves a run out, as `notApplicable`
 */
export function scoredShare(
  runs: Iterable<CaseRun>,
  isHit: (run: RunFacts, caseRun: CaseRun) => boolean | undefined,
): Estimate {
  const dropped = new DropCounts();
  const hits: boolean[] = [];
  const clusters: number[] = [];
  for (const caseRun of runs) {
    const { run, cluster } = caseRun;
    const hit = isHit(run, caseRun);
    const reason = dropReason(run) ?? (hit === undefined ? 'notApplicable' : undefined);
    if (reason === undefined) {
      hits.push(hit === true);
      clusters.push(cluster);
    } else dropped.add(reason);
  }
  return clusteredShare(hits, clusters, dropped.counts);
}

/** A figure of a run, or why it has none. */
export type Measured = number | string;

/**
 * Mean over cases of a figure of the run / the same figure of its partner, both scored.
 *
 * @param measure - what to compare; a text says why the pair is left out
 */
export function pairedRatio(
  runs: Iterable<CaseRun>,
  partner: 'clean' | 'attacked',
  measure: (run: RunFacts, role: 'arm' | 'partner') => Measured,
): RatioEstimate {
  const dropped = new DropCounts();
  const numerators: number[] = [];
  const denominators: number[] = [];
  const clusters: number[] = [];
  for (const pair of runs) {
    const other = pair[partner];
    const [numerator, denominator] = [measure(pair.run, 'arm'), other ? measure(other, 'partner') : 0];
    const reason = whyUnpaired(pair.run, other);
    if (reason !== undefined) dropped.add(reason);
    else if (typeof numerator === 'string') dropped.add(numerator);
    else if (typeof denominator === 'string') dropped.add(denominator);
    else {
      numerators.push(numerator);
      denominators.push(denominator);
      clusters.push(pair.cluster);
    }
  }
  const { mean, ...others } = ratioSummaries({ numerators, denominators, clusters }, dropped.counts);
  return { ...mean, ...others };
}

/** Arms are compared on cases scored in both. */
export function whyUnpaired(run: RunFacts, partner: RunFacts | undefined): string | undefined {
  const reason = dropReason(run);
  if (reason !== undefined) return reason;
  if (partner === undefined) return 'partnerMissing';
  return dropReason(partner) === undefined ? undefined : 'partnerUnscored';
}
