import { countTokens } from '../core/tokens.ts';
import type { StreamHandlers } from './read-stream.ts';
import type { StreamRequest } from './request-body.ts';
import type { RequestGate } from './request-gate.ts';
import { streamOnce, type StreamEnd, type StreamTarget } from './target-client.ts';

export interface GatedRequest {
  readonly target: StreamTarget;
  readonly request: StreamRequest;
  readonly handlers: StreamHandlers;
  readonly signal: AbortSignal;
  /** The local count of the messages. */
  readonly promptTokens: () => number;
  /** A server that asks to be left alone for longer than this is not: what it is asked fails, each by itself. */
  readonly pauseCapMs: number;
}

/**
 * Sends one request once its model can take it; else as `streamOnce`. It is reserved with its prompt and the whole of
 * its `maxTokens`, the most that it can come to, and settled with what it used in truth. Where a server answers that it
 * cannot take it now, and for how long, all processes wait for so long.
 *
 * @returns how it ended, and whether it was sent at all
 */
export async function streamGated(
  gate: RequestGate,
  { target, request, handlers, signal, promptTokens, pauseCapMs }: GatedRequest,
): Promise<{ end: StreamEnd; wasSent: boolean }> {
  const admission = await gate.enter({ tokens: () => promptTokens() + request.maxTokens }, signal);
  // Without one the signal has come: nothing is sent, and that is said as ever.
  if (!admission) {
    return { end: await streamOnce(target, request, handlers, signal), wasSent: false };
  }
  try {
    const noted: StreamHandlers = {
      ...handlers,
      onDelta: (delta) => handlers.onDelta(delta),
      onFirstPayload: () => {
        admission.arrived();
        handlers.onFirstPayload?.();
      },
    };
    const end = await streamOnce(target, request, noted, signal);
    const retryAfterMs = end.error?.retryable === true ? end.error.retryAfterMs : null;
    if (retryAfterMs !== null && retryAfterMs <= pauseCapMs) await gate.pause(retryAfterMs);
    admission.leave(gate.countsTokens ? tokensOf(end, promptTokens) : undefined);
    return { end, wasSent: true };
  } finally {
    // After an error of our own; a second time it does nothing.
    admission.leave();
  }
}

/** By the server's figures where it gave them. What failed without a word of reply is taken to have cost nothing. */
function tokensOf(end: StreamEnd, promptTokens: () => number): number {
  if (end.status === 'failed' && end.firstPayloadAtMs === null) return 0;
  const { usage } = end;
  const prompt = usage?.promptTokens ?? promptTokens();
  return prompt + (usage?.completionTokens ?? countTokens(end.reasoning) + countTokens(end.answer));
}
