import type { Logger } from 'pino';
import { defaultRetrySettings, type RetryEnd, withRetries } from '../../shared/llm/retry.ts';
import { describeStreamError } from '../../shared/llm/stream-error.ts';
import type { RequestGate } from '../../shared/llm/request-gate.ts';
import type { StreamEnd } from '../../shared/llm/target-client.ts';
import type { GenerationJob } from '../../shared/schemas/job.ts';
import type { TargetSpec } from '../../shared/schemas/sweep-spec.ts';
import type { OpenStream, TargetStream } from './target-stream.ts';

/** The client of models is loaded with the first request: a worker that only replays chains needs none. */
let client: Promise<typeof import('../../shared/llm/stream-gated.ts')> | undefined;

export interface OpenTargetOptions {
  readonly apiKey: string | undefined;
  /** Requests at most, the first included. */
  readonly attempts: number;
  /** Each of them waits for its turn here. */
  readonly gate: RequestGate;
  /** The local count of the job's messages. */
  readonly promptTokens: () => number;
  readonly log: () => Logger;
}

/** Streams a run's answer from its target; repeats requests that fail before their first token. */
export function openTargetStream(
  target: TargetSpec,
  job: GenerationJob,
  options: OpenTargetOptions,
): OpenStream {
  return async (sink, signal) => {
    const { streamGated } = await (client ??= import('../../shared/llm/stream-gated.ts'));
    const streamTarget = {
      config: target.config,
      think: target.think,
      harmony: target.harmony,
      timeouts: target.timeouts,
      apiKey: options.apiKey,
    };
    const { maxTokens, ...sampling } = job.decoding;
    const embeds = job.promptEmbeds === undefined ? {} : { promptEmbeds: job.promptEmbeds };
    const request = { messages: job.messages, ...embeds, maxTokens, seed: job.seed, ...sampling };
    const handlers = {
      onDelta: ({ kind, text }: { kind: 'reasoning' | 'content'; text: string }) => sink.onDelta(kind, text),
    };
    const { retryAfterCapMs: pauseCapMs } = defaultRetrySettings;
    const attempt = async (): Promise<StreamEnd> => {
      const { gate, promptTokens } = options;
      const sent = { target: streamTarget, request, handlers, signal, promptTokens, pauseCapMs };
      return (await streamGated(gate, sent)).end;
    };
    const openedAt = performance.now();
    const end = await withRetries(
      attempt,
      { ...defaultRetrySettings, maxAttempts: options.attempts },
      {
        random: Math.random,
        signal,
        onWait: ({ reason, waitMs }) => {
          options.gate.retried(waitMs);
          options
            .log()
            .warn({ event: 'request-retried', reason, waitMs }, 'a request failed and is sent again');
        },
      },
    );
    return toTargetStream(end, performance.now() - openedAt);
  };
}

function toTargetStream({ end, attempts, stop }: RetryEnd, openMs: number): TargetStream {
  const { error, usage } = end;
  return {
    status: end.status,
    reasoning: end.reasoning,
    answer: end.answer,
    refusal: end.refusal,
    finishReason: end.finishReason,
    usage: usage && {
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      reasoningTokens: usage.reasoningTokens,
    },
    error: error && {
      code: error.kind,
      message: `${describeStreamError(error)} (attempt ${attempts}, ${stop.replaceAll('_', ' ')})`,
      retryable: error.retryable,
    },
    simulated: end.simulated,
    startedAtMs: end.requestStartedAtMs,
    firstTokenAtMs: end.firstDeltaAtMs ?? undefined,
    closedAtMs: end.closedAtMs,
    limitWaitMs: Math.max(0, openMs - (end.closedAtMs - end.requestStartedAtMs)),
    retries: attempts - 1,
  };
}
