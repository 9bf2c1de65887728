import type { BodyEnd } from './stream-status.ts';

/** How long a request may be silent. Milliseconds; all three are counted from the request's start or last payload. */
export interface StreamLimits {
  /** From the request's start to its first payload: covers connecting, queueing and headers. */
  readonly firstPayloadMs: number;
  /** Between payloads. Comments and keep-alive payloads are silence. */
  readonly idleMs: number;
  /** From the request's start to its end. */
  readonly totalMs: number;
  /** After the finish reason: some servers neither send `[DONE]` nor close. Default 10 s, at most `idleMs`. */
  readonly afterFinishMs?: number;
}

const DEFAULT_AFTER_FINISH_MS = 10_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What of ours ends a request. */
type StopReason = Extract<BodyEnd, 'aborted' | 'idle' | 'total'>;

/**
 * Everything that can end a request before its server does, as one signal: the caller's abort, and the three timers.
 * `reason` is the first of them that came. `dispose` it when the request is over.
 */
export class StreamStop {
  readonly signal: AbortSignal;
  reason: StopReason | null = null;
  private readonly controller = new AbortController();
  private readonly caller: AbortSignal;
  private readonly limits: StreamLimits;
  private readonly total: NodeJS.Timeout;
  private silence: NodeJS.Timeout;
  private silenceMs: number;

  constructor(limits: StreamLimits, caller: AbortSignal) {
    this.signal = this.controller.signal;
    this.limits = limits;
    this.caller = caller;
    this.silenceMs = limits.firstPayloadMs;
    this.silence = startTimer(this.onSilence, this.silenceMs);
    this.total = startTimer(() => this.stop('total'), limits.totalMs);
    if (caller.aborted) this.onAbort();
    else caller.addEventListener('abort', this.onAbort);
  }

  /** A payload arrived: the silence starts anew. */
  noteProgress({ isFinished }: { isFinished: boolean }): void {
    const { idleMs, afterFinishMs = DEFAULT_AFTER_FINISH_MS } = this.limits;
    const silenceMs = isFinished ? Math.min(idleMs, afterFinishMs) : idleMs;
    if (silenceMs === this.silenceMs) {
      this.silence.refresh();
      return;
    }
    clearTimeout(this.silence);
    this.silenceMs = silenceMs;
    this.silence = startTimer(this.onSilence, silenceMs);
  }

  dispose(): void {
    clearTimeout(this.silence);
    clearTimeout(this.total);
    this.caller.removeEventListener('abort', this.onAbort);
  }

  private readonly onAbort = (): void => this.stop('aborted');
  private readonly onSilence = (): void => this.stop('idle');

  private stop(reason: StopReason): void {
    if (this.reason !== null) return;
    this.reason = reason;
    this.dispose();
    this.controller.abort();
  }
}

function startTimer(onExpired: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(onExpired, Math.min(ms, MAX_TIMER_MS));
}
