import type { Step } from '../../shared/schemas/step.ts';

/** What a generation worker needs to know of one streamed answer, however it was asked for. */
export interface TargetStream {
  /** `aborted`: we closed the socket. */
  readonly status: 'complete' | 'length' | 'filtered' | 'aborted' | 'failed';
  /** The texts as the whole stream shows them (a late tag may have moved text that was passed on as content). */
  readonly reasoning: string;
  readonly answer: string;
  readonly refusal: string | null;
  readonly finishReason: string | null;
  readonly usage: {
    readonly promptTokens: number | null;
    readonly completionTokens: number | null;
    readonly reasoningTokens: number | null;
  } | null;
  readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean } | null;
  readonly simulated: boolean;
  /** Unix epoch milliseconds; the start is that of the request that was answered. */
  readonly startedAtMs: number;
  readonly firstTokenAtMs: number | undefined;
  readonly closedAtMs: number;
  /** All the time that was not the answered request's: waits for limits, failed attempts, the waits between them. */
  readonly limitWaitMs: number;
  /** Failed attempts before it. */
  readonly retries: number;
}

/** Where a stream's text goes: pieces of any length that are cut into steps here, or steps that somebody has cut. */
export interface StreamSink {
  onDelta(kind: 'reasoning' | 'content', text: string): void;
  onSteps(texts: readonly string[]): void;
  /** Steps that were recorded whole, channels, counts and times too: nothing of them was received now. */
  onRecorded(steps: readonly Step[]): void;
}

/** Streams one answer. Retries by itself before the first token; never throws for what a server does. */
export type OpenStream = (sink: StreamSink, signal: AbortSignal) => Promise<TargetStream>;
