import { countTokens } from '../../shared/core/tokens.ts';
import { parseJson, isJsonObject } from '../../shared/llm/json-value.ts';
import type { StreamRequest } from '../../shared/llm/request-body.ts';
import { describeStreamError } from '../../shared/llm/stream-error.ts';
import { streamOnce, type StreamTarget } from '../../shared/llm/target-client.ts';
import type { TargetSpec } from '../../shared/schemas/sweep-spec.ts';
import { askStreamed, type StreamedReply } from './ask-streamed.ts';

const TIMEOUT_MS = 120_000;

const ask = (content: string, maxTokens: number): StreamRequest => ({
  messages: [{ role: 'user', content }],
  maxTokens,
});
const question = ask('What is 17 * 23? Work step by step, then end with: The answer is N.', 1_024);
/** A question that nobody answers in JSON unless made to. */
const plainQuestion = ask('Is 7 a prime number? Answer in one word.', 512);
const longQuestion = ask('Count from 1 to 300, each number on its own line.', 2_048);

const schema = {
  type: 'object',
  properties: { is_prime: { type: 'boolean' } },
  required: ['is_prime'],
  additionalProperties: false,
};

/** Where reasoning was seen: text in a field or between tags, only a count of it, or not at all. */
export type ReasoningPlace =
  | { readonly type: 'field'; readonly fields: readonly string[] }
  | { readonly type: 'tags'; readonly tag: string; readonly isOpenedByPrompt: boolean }
  | { readonly type: 'usage'; readonly tokens: number }
  | { readonly type: 'none' };

/** `enforced`: a reply that follows the schema; `ignored`: accepted, and not followed; `refused`: an HTTP error. */
export type SchemaSupport = 'enforced' | 'ignored' | 'refused' | 'unknown';

export interface EndpointFacts {
  readonly apiBaseUrl: string;
  readonly model: string;
  readonly isSimulated: boolean;
  readonly reasoning: ReasoningPlace;
  readonly usageInStream: boolean;
  readonly finishReason: string | null;
  readonly sawDone: boolean;
  readonly firstTokenMs: number | undefined;
  /** By the local count, over the time from the first token to the last; undefined for a reply in one piece. */
  readonly tokensPerSecond: number | undefined;
  readonly jsonSchema: SchemaSupport;
  readonly jsonObject: SchemaSupport;
  /** Whether the next request was answered after a socket had been closed mid-stream. */
  readonly survivesClose: boolean;
}

/**
 * Asks an endpoint a few questions, one after the other, and tells what it is like.
 *
 * @returns in words, why the first question was not answered
 */
export async function probeEndpoint(
  spec: Pick<TargetSpec, 'config' | 'think' | 'harmony'>,
  apiKey: string | undefined,
): Promise<EndpointFacts | { problem: string }> {
  const timeouts = { firstPayloadMs: TIMEOUT_MS, idleMs: TIMEOUT_MS, totalMs: TIMEOUT_MS };
  const { config, think, harmony } = spec;
  const target: StreamTarget = { config, think, harmony, timeouts, apiKey };
  const reply = await askStreamed(target, question, TIMEOUT_MS);
  if (reply.error) {
    const hint = reply.error.code === 404 ? '; is the model known there, and does the URL end in /v1?' : '';
    return { problem: `${describeStreamError(reply.error)}${hint}` };
  }
  if (!('traits' in reply)) return { problem: 'no reply' };
  return {
    apiBaseUrl: config.apiBaseUrl,
    model: config.model,
    isSimulated: reply.isSimulated,
    reasoning: placeOf(reply),
    usageInStream: reply.usage !== null,
    finishReason: reply.finishReason,
    sawDone: reply.traits.sawDone,
    firstTokenMs: reply.firstTokenMs,
    tokensPerSecond: speedOf(reply),
    jsonSchema: await probeFormat(target, {
      type: 'json_schema',
      json_schema: { name: 'answer', strict: true, schema },
    }),
    jsonObject: await probeFormat(target, { type: 'json_object' }),
    survivesClose: await probeClose(target),
  };
}

function placeOf({ traits, reasoning, usage }: StreamedReply): ReasoningPlace {
  const { reasoningFields, openingTag, closingTag } = traits;
  if (reasoningFields.length > 0) return { type: 'field', fields: reasoningFields };
  const tag = openingTag ?? closingTag;
  if (tag !== undefined) return { type: 'tags', tag, isOpenedByPrompt: openingTag === undefined };
  if (reasoning !== '') return { type: 'field', fields: ['harmony'] };
  const tokens = usage?.reasoningTokens ?? 0;
  return tokens > 0 ? { type: 'usage', tokens } : { type: 'none' };
}

function speedOf({ reasoning, answer, firstTokenMs, endMs }: StreamedReply): number | undefined {
  const seconds = (endMs - (firstTokenMs ?? endMs)) / 1_000;
  return seconds < 0.001 ? undefined : (countTokens(reasoning) + countTokens(answer)) / seconds;
}

async function probeFormat(target: StreamTarget, format: object): Promise<SchemaSupport> {
  const { config } = target;
  // Other APIs ask for a format in other words; no monitor asks the completions API for one.
  if (config.api !== 'chat') return 'unknown';
  const extraBody = { ...config.extraBody, response_format: format };
  const wording = ask(`${textOf(plainQuestion)} (If you are made to write JSON, use the key is_prime.)`, 512);
  const request = 'json_schema' in format ? plainQuestion : wording;
  const end = await streamOnce(
    { ...target, config: { ...config, extraBody } },
    request,
    { onDelta: () => undefined },
    AbortSignal.timeout(TIMEOUT_MS),
  );
  if (end.httpStatus !== null && [400, 422, 501].includes(end.httpStatus)) return 'refused';
  if (end.error !== null) return 'unknown';
  const value = parseJson(end.answer.trim());
  if (!isJsonObject(value)) return 'ignored';
  return 'json_schema' in format && typeof value['is_prime'] !== 'boolean' ? 'ignored' : 'enforced';
}

function textOf({ messages }: StreamRequest): string {
  return messages.map(({ content }) => content).join('');
}

async function probeClose(target: StreamTarget): Promise<boolean> {
  const stop = new AbortController();
  const handlers = { onDelta: () => stop.abort() };
  await streamOnce(
    target,
    longQuestion,
    handlers,
    AbortSignal.any([stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
  );
  const next = await streamOnce(
    target,
    ask('Say: ready.', 64),
    { onDelta: () => undefined },
    AbortSignal.timeout(TIMEOUT_MS),
  );
  return next.error === null;
}
