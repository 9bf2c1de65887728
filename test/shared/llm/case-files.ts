import { join } from 'node:path';
import { z } from 'zod';
import type { BodyEnd } from '../../../shared/llm/stream-status.ts';
import {
  loadRecordedStreams,
  type RecordedStream,
  recordedStreamSchema,
} from '../../../scripts/simulator/recorded-streams.ts';
import { StreamDecoder, type DecodedReply } from '../../../shared/llm/stream-decoder.ts';
import type { StreamDelta } from '../../../shared/llm/split-text.ts';

const count = z.number().nullable();

/** What a case expects, as its file has it (test/cases/README.md, 1.2). */
const expectSchema = z.strictObject({
  status: z.string(),
  reasoning: z.string(),
  answer: z.string(),
  refusal: z.string().nullable(),
  finish_reason: z.string().nullable(),
  usage: z
    .strictObject({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      reasoning_tokens: count,
    })
    .nullable(),
  error: z
    .strictObject({
      kind: z.string(),
      code: z.union([z.string(), z.number()]).nullable(),
      retryable: z.boolean(),
      retry_after_ms: z.number().nullable(),
    })
    .nullable(),
});

const streamCaseSchema = recordedStreamSchema.extend({
  api: z.enum(['chat', 'responses', 'completions']),
  target: z.object({
    think: z.enum(['auto', 'implicit_open', 'off']),
    harmony: z.union([z.literal('auto'), z.boolean()]),
  }),
  expect: expectSchema,
});
export type StreamCase = z.infer<typeof streamCaseSchema> & RecordedStream & { readonly folder: string };

/** Every stream case of a folder that has them in its `streams` folder, or is one itself. */
export function loadStreamCases(folder: string): StreamCase[] {
  return loadRecordedStreams(folder, streamCaseSchema).map((one) => ({ ...one, folder }));
}

/** The project's own cases, and those of `HALTLINE_CASES_DIR` when that is set. */
export function allStreamCases(): StreamCase[] {
  const own = loadStreamCases(join(import.meta.dirname, '../../cases'));
  const more = process.env['HALTLINE_CASES_DIR'];
  return more === undefined || more === '' ? own : [...own, ...loadStreamCases(more)];
}

const bodyEnds: Readonly<Record<StreamCase['delivery']['end'], BodyEnd>> = {
  clean: 'clean',
  reset: 'reset',
  client_abort: 'aborted',
  stall: 'idle',
  keepalive_forever: 'idle',
};

/** Decodes a case without any I/O. `deltas` are those delivered before the end of the body. */
export function decodeCase(
  streamCase: StreamCase,
  pieces: readonly Buffer[],
): { reply: DecodedReply; deltas: StreamDelta[]; deltasBeforeEnd: number } {
  const { api, target, response, delivery } = streamCase;
  const deltas: StreamDelta[] = [];
  const decoder = new StreamDecoder({ api, ...target, ...response }, (delta) => deltas.push(delta));
  for (const piece of pieces) decoder.push(piece);
  if (delivery.end === 'keepalive_forever') decoder.push(Buffer.from(': keep-alive\n\n'));
  const deltasBeforeEnd = deltas.length;
  return { reply: decoder.end(bodyEnds[delivery.end]), deltas, deltasBeforeEnd };
}

/** A reply in the words of the case files. */
export function inCaseWords(reply: DecodedReply): z.infer<typeof expectSchema> {
  const { usage, error } = reply;
  return {
    status: reply.status,
    reasoning: reply.reasoning.trim(),
    answer: reply.answer.trim(),
    refusal: reply.refusal,
    finish_reason: reply.finishReason,
    usage: usage && {
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      total_tokens: usage.totalTokens,
      reasoning_tokens: usage.reasoningTokens,
    },
    error: error && {
      kind: error.kind,
      code: error.code,
      retryable: error.retryable,
      retry_after_ms: error.retryAfterMs,
    },
  };
}

export function expectation(streamCase: StreamCase): z.infer<typeof expectSchema> {
  const { expect } = streamCase;
  return { ...expect, reasoning: expect.reasoning.trim(), answer: expect.answer.trim() };
}
