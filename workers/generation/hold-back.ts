import type { KnownSweep } from '../../shared/redis/sweep-registry.ts';
import type { GenerationLoad } from './generation-load.ts';

/** A run that has waited for a monitor for so long says that monitors are saturated, or gone. */
const WATCH_WAIT_MS = 3_000;

export const holdBackReasons = ['backlog', 'monitors'] as const;

/** Why no new run is taken. */
export type HoldBack =
  /** Committed results of this sweep wait in Redis for a metrics worker to write them: more than its bound. */
  | {
      readonly reason: 'backlog';
      readonly sweep: string;
      readonly backlogBytes: number;
      readonly boundBytes: number;
    }
  /** So many runs of this worker wait for a monitor: each more would wait too, until its own time limit. */
  | { readonly reason: 'monitors'; readonly waitingRuns: number };

/** The high-water marks of a generation worker. @returns undefined when it may take runs */
export function whyHeldBack(
  sweeps: readonly KnownSweep[],
  load: Pick<GenerationLoad, 'waitingForWatch'>,
  nowMs: number,
): HoldBack | undefined {
  const behind = sweeps.find(({ sweep, backlogBytes }) => backlogBytes > sweep.spec.limits.backlogBytes);
  if (behind) {
    const { backlogBytes: boundBytes } = behind.sweep.spec.limits;
    return { reason: 'backlog', sweep: behind.sweep.id, backlogBytes: behind.backlogBytes, boundBytes };
  }
  const waitingRuns = load.waitingForWatch(nowMs, WATCH_WAIT_MS);
  return waitingRuns > 0 ? { reason: 'monitors', waitingRuns } : undefined;
}
