import { isRecorded } from '../../shared/core/recorded-target.ts';
import type { SweepFile } from '../../shared/schemas/sweep-file.ts';

/**
 * Whether a target's runs are labelled chains (DESIGN, "Metrics"): they have a position figure, and none that says how a
 * target fared or what it cost.
 */
export function areLabelled({ spec, replayed }: SweepFile, target: string): boolean {
  // A sweep that is judged again has targets without an address too, of any ids.
  return replayed === undefined && spec.targets.some((known) => known.id === target && isRecorded(known));
}
