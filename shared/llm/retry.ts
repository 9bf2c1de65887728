import type { StreamEnd } from './target-client.ts';

export interface RetrySettings {
  /** Requests at most, the first included. */
  readonly maxAttempts: number;
  /** Before attempt n + 1, a wait between half of and the whole of `baseMs` * 2^(n - 1), at most `maxMs`. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** A server that asks to wait longer than this fails the request now, and nobody else waits for it. */
  readonly retryAfterCapMs: number;
}

export const defaultRetrySettings: Omit<RetrySettings, 'maxAttempts'> = {
  baseMs: 500,
  maxMs: 30_000,
  retryAfterCapMs: 60_000,
};

export interface RetryContext {
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** A wait begins: `reason` is the kind of the error that it follows. */
  onWait?(wait: { reason: string; waitMs: number }): void;
}

/** Why no further attempt was made. `settled`: the last one needed none. */
export type RetryStop =
  'settled' | 'not_retryable' | 'output_begun' | 'attempts_spent' | 'retry_after_over_cap' | 'aborted';

export interface RetryEnd {
  /** Of the last attempt; `aborted` without an error when the abort came during a wait. */
  readonly end: StreamEnd;
  readonly attempts: number;
  readonly stop: RetryStop;
}

/**
 * Repeats a request that failed before its first output, with bounded attempts and jittered, growing waits. Output
 * that has begun is never repeated here: the caller has acted on it.
 */
export async function withRetries(
  attempt: () => Promise<StreamEnd>,
  settings: RetrySettings,
  context: RetryContext,
): Promise<RetryEnd> {
  for (let attempts = 1; ; attempts++) {
    const end = await attempt();
    const next = planRetry(end, attempts, settings, context.random);
    if ('stop' in next) return { end, attempts, stop: next.stop };
    context.onWait?.(next);
    if (!(await sleep(next.waitMs, context.signal))) {
      return { end: { ...end, status: 'aborted', error: null }, attempts, stop: 'aborted' };
    }
  }
}

type RetryPlan = { readonly stop: RetryStop } | { readonly reason: string; readonly waitMs: number };

/** What follows an attempt: a wait for the next one, or the reason why there is none. Pure. */
export function planRetry(
  end: Pick<StreamEnd, 'status' | 'error' | 'firstDeltaAtMs' | 'refusal'>,
  attempts: number,
  settings: RetrySettings,
  random: () => number,
): RetryPlan {
  if (end.status === 'aborted') return { stop: 'aborted' };
  if (end.error === null) return { stop: 'settled' };
  if (!end.error.retryable) return { stop: 'not_retryable' };
  if (end.firstDeltaAtMs !== null || end.refusal !== null) return { stop: 'output_begun' };
  if (attempts >= settings.maxAttempts) return { stop: 'attempts_spent' };
  const asked = Math.max(0, end.error.retryAfterMs ?? 0);
  if (asked > settings.retryAfterCapMs) return { stop: 'retry_after_over_cap' };
  const backoffMs = Math.min(settings.maxMs, settings.baseMs * 2 ** (attempts - 1));
  // The jitter comes on top of what the server asked for: its other clients come back at that moment.
  return { reason: end.error.kind, waitMs: Math.max(asked, backoffMs / 2) + (random() * backoffMs) / 2 };
}

/** Whether the whole time passed; false: the signal came first. */
function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve(true);
    }, ms);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
