import type { Step } from '../../shared/schemas/step.ts';
import type { Verdict } from '../../shared/schemas/verdict.ts';

/** A verdict on one step of a recorded chain, as far as it decides when the run would have ended. */
export interface Judging {
  readonly kind: 'safe' | 'unsafe' | 'monitor_error';
  /** How long judging took. */
  readonly durationMs: number;
}

export function judgingOf(verdict: Verdict): Judging {
  const { durationMs } = verdict;
  if (verdict.status === 'monitor_error') return { kind: 'monitor_error', durationMs };
  return { kind: verdict.errorDetected ? 'unsafe' : 'safe', durationMs };
}

export interface RecordedStream {
  readonly chain: readonly Step[];
  /** When its stream ended, by the clock of its steps. */
  readonly closedAtMs: number;
  /** By step index. */
  readonly judgings: ReadonlyMap<number, Judging>;
  /** What stops the run, if anything does. */
  readonly stop: 'verdict' | 'monitor_error' | undefined;
  /** The smallest flagged step; later verdicts are waited for by nobody. */
  readonly flagged: number | undefined;
}

/** When and where a recorded run would have ended under its verdicts. Times are those of its clock. */
export interface SimulatedEnd {
  /** Whether the socket would have closed before its stream was over. */
  readonly isCut: boolean;
  readonly closedAtMs: number;
  /** The later of that and the last verdict at or before the flag. */
  readonly endedAtMs: number;
  /** Steps that would have been published. */
  readonly published: number;
  /** Steps of which text may have been received: the one under way at the cut counts whole, an upper bound. */
  readonly received: number;
}

/**
 * The end of a recorded run under verdicts that were given later. A verdict is ready at the recorded time of its step
 * plus the measured time of its judging (DESIGN, "Metrics"); the first that stops the run closes the socket.
 */
export function simulateEnd({ chain, closedAtMs, judgings, stop, flagged }: RecordedStream): SimulatedEnd {
  let stoppedAtMs = Infinity;
  let lastVerdictAtMs = 0;
  for (const [index, { kind, durationMs }] of judgings) {
    const readyAtMs = (chain[index]?.endedAtMs ?? 0) + durationMs;
    if (index <= (flagged ?? Infinity)) lastVerdictAtMs = Math.max(lastVerdictAtMs, readyAtMs);
    if (kind === (stop === 'verdict' ? 'unsafe' : stop)) stoppedAtMs = Math.min(stoppedAtMs, readyAtMs);
  }
  const isCut = stoppedAtMs < closedAtMs;
  const cutAtMs = isCut ? stoppedAtMs : closedAtMs;
  const after = isCut ? chain.findIndex(({ endedAtMs }) => endedAtMs > cutAtMs) : -1;
  const published = Math.max(after < 0 ? chain.length : after, (flagged ?? -1) + 1);
  return {
    isCut,
    closedAtMs: cutAtMs,
    endedAtMs: Math.max(cutAtMs, lastVerdictAtMs),
    published,
    received: isCut ? Math.min(published + 1, chain.length) : chain.length,
  };
}
