import { defaultRetrySettings, withRetries } from '../../../shared/llm/retry.ts';
import { streamGated } from '../../../shared/llm/stream-gated.ts';
import type { StreamEnd } from '../../../shared/llm/target-client.ts';
import type { JudgeContext } from '../monitor.ts';
import { useOfCall } from './call-use.ts';
import type { ModelEndpoint } from './model-endpoint.ts';
import type { PromptMessage } from './prompt.ts';
import { isFormatRefused, type ReplyFormat, weakerFormat } from './reply-format.ts';

/** Requests for one reply, at most; how long they may take in all is the judgement's limit. */
const MAX_ATTEMPTS = 3;

export interface Question {
  readonly messages: readonly PromptMessage[];
  readonly maxTokens: number;
  /** The local count of the messages, for servers that report none. */
  readonly promptTokens: () => number;
}

/**
 * Asks a monitor's model, and holds its reply to JSON as strictly as the endpoint allows: under `auto`, a refused
 * format is followed by the next weaker one, and what was taken is remembered. Requests that fail are sent again,
 * broken-off replies too: nobody has acted on them.
 */
export async function askModel(
  endpoint: ModelEndpoint,
  question: Question,
  context: JudgeContext,
): Promise<StreamEnd> {
  const { spec, formats } = endpoint;
  if (spec.structured !== 'auto') return askAs(spec.structured, endpoint, question, context);
  let format = formats.of(endpoint.name);
  for (;;) {
    const end = await askAs(format, endpoint, question, context);
    // Only what was taken is remembered: a prompt that is too long is refused in every format.
    if (end.httpStatus === 200) formats.remember(endpoint.name, format);
    const weaker = isFormatRefused(end.httpStatus) ? weakerFormat(format) : undefined;
    if (weaker === undefined) return end;
    format = weaker;
  }
}

async function askAs(
  format: ReplyFormat,
  endpoint: ModelEndpoint,
  question: Question,
  context: JudgeContext,
): Promise<StreamEnd> {
  const { spec } = endpoint;
  const { signal } = context;
  const target = endpoint.targets[format];
  const { temperature } = spec.config;
  const request = {
    messages: question.messages,
    maxTokens: question.maxTokens,
    ...(temperature === null ? {} : { temperature }),
  };
  const attempt = async (): Promise<StreamEnd> => {
    const handlers = { onDelta: () => undefined };
    const pauseCapMs = spec.timeouts.totalMs;
    const sent = { target, request, handlers, signal, promptTokens: question.promptTokens, pauseCapMs };
    const { end, wasSent } = await streamGated(endpoint.gate, sent);
    if (wasSent) context.book(useOfCall(end, question.promptTokens));
    return asJudged(end);
  };
  const settings = {
    ...defaultRetrySettings,
    maxAttempts: MAX_ATTEMPTS,
    retryAfterCapMs: spec.timeouts.totalMs,
  };
  const onWait = ({ reason, waitMs }: { reason: string; waitMs: number }): void => {
    endpoint.gate.retried(waitMs);
    endpoint.log.warn({ event: 'judgement-retried', reason, waitMs }, 'a judgement is asked for again');
  };
  return (await withRetries(attempt, settings, { random: Math.random, signal, onWait })).end;
}

/** An empty reply is an unusable one, not a failed request; a broken one can be asked for again. */
function asJudged(end: StreamEnd): StreamEnd {
  if (end.error?.kind === 'empty_response') return { ...end, status: 'complete', error: null };
  return end.error === null ? end : { ...end, firstDeltaAtMs: null, refusal: null };
}
