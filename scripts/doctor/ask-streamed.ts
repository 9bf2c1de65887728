import { connectionError } from '../../shared/llm/connection-error.ts';
import { cutKey } from '../../shared/llm/cut-key.ts';
import { carriedResponse, fetchOverNode } from '../../shared/llm/node-fetch.ts';
import {
  buildChatBody,
  buildCompletionBody,
  buildResponsesBody,
  type StreamRequest,
} from '../../shared/llm/request-body.ts';
import { StreamDecoder, type DecodedReply } from '../../shared/llm/stream-decoder.ts';
import type { StreamError } from '../../shared/llm/stream-error.ts';
import type { StreamTarget } from '../../shared/llm/target-client.ts';
import { readTraits, type ReplyTraits } from './reply-traits.ts';

/** A reply with what its bytes show. Times in milliseconds from the request's start. */
export interface StreamedReply extends DecodedReply {
  readonly traits: ReplyTraits;
  readonly httpStatus: number;
  readonly isSimulated: boolean;
  readonly firstTokenMs: number | undefined;
  readonly endMs: number;
}

const paths = { chat: 'chat/completions', completions: 'completions', responses: 'responses' } as const;
const MAX_RAW_BYTES = 4_000_000;

/**
 * Asks once, and keeps the bytes of the reply: it is read as a run's would be, and looked at beside.
 *
 * @returns the error of a connection that could not be made
 */
export async function askStreamed(
  target: StreamTarget,
  request: StreamRequest,
  timeoutMs: number,
): Promise<StreamedReply | { error: StreamError }> {
  const startedAt = performance.now();
  const since = (): number => performance.now() - startedAt;
  try {
    const { api, apiBaseUrl } = target.config;
    const response = carriedResponse(
      await fetchOverNode(`${apiBaseUrl.replace(/\/+$/, '')}/${paths[api]}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(target.apiKey === undefined ? {} : { authorization: `Bearer ${target.apiKey}` }),
        },
        body: JSON.stringify(bodyOf(target, request)),
        signal: AbortSignal.timeout(timeoutMs),
      }),
    );
    const { status, headers, body } = response;
    let firstTokenMs: number | undefined;
    const { think, harmony } = target;
    const decoder = new StreamDecoder({ api, think, harmony, status, headers }, () => {
      firstTokenMs ??= since();
    });
    const raw: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      const piece: unknown = chunk;
      if (!Buffer.isBuffer(piece)) continue;
      decoder.push(piece);
      raw.push(piece);
      bytes += piece.length;
      if (decoder.isOver || bytes > MAX_RAW_BYTES) break;
    }
    const traits = readTraits(Buffer.concat(raw).toString('utf8'));
    const isSimulated = headers['x-haltline-simulated'] !== undefined;
    const reply = cutKey(decoder.end('clean'), target.apiKey);
    return { ...reply, traits, httpStatus: status, isSimulated, firstTokenMs, endMs: since() };
  } catch (error) {
    const known = connectionError(error);
    if (known) return { error: known };
    if (!(error instanceof Error) || !/abort|timeout/i.test(error.name)) throw error;
    return { error: { kind: 'total_timeout', code: null, retryable: true, retryAfterMs: null } };
  }
}

function bodyOf({ config }: StreamTarget, request: StreamRequest): object {
  if (config.api === 'completions') return buildCompletionBody(config, request);
  return config.api === 'responses' ? buildResponsesBody(config, request) : buildChatBody(config, request);
}
