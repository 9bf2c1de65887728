import type { RatioEstimate } from '../../shared/schemas/summary.ts';
import { pairedRatio, type CaseRun, type Measured } from './pairs.ts';
import type { RunFacts } from './run-facts.ts';

/** Mean over cases of latency of the arm / latency of the clean run: the paper's definition (section 5.1). */
export function lafVsClean(runs: Iterable<CaseRun>): RatioEstimate {
  return pairedRatio(runs, 'clean', latencyOf);
}

/** Mean over cases of latency of the guarded run / latency of the attacked one: what the paper's Figure 3 shows. */
export function lafGuarded(runs: Iterable<CaseRun>): RatioEstimate {
  return pairedRatio(runs, 'attacked', latencyOf);
}

/** Latencies of runs that a crash interrupted, or that were measured in another sweep, are not comparable. */
function latencyOf(run: RunFacts): Measured {
  if (run.crashRestart) return 'crashRestart';
  if (run.reused) return 'reused';
  return run.latencyMs ?? 'noLatency';
}
