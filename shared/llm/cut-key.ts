import type { DecodedReply } from './stream-decoder.ts';

/** Shorter values would be found within innocent words. */
const MIN_KEY_LENGTH = 6;

/**
 * The reply with `[redacted]` in place of the API key in what goes on to errors, results and logs: a server quotes a key
 * that it refuses, in a code too. What the model wrote stays.
 */
export function cutKey<Reply extends Pick<DecodedReply, 'error' | 'finishReason'>>(
  reply: Reply,
  apiKey: string | undefined,
): Reply {
  if (apiKey === undefined || apiKey.length < MIN_KEY_LENGTH) return reply;
  const cut = <Value>(value: Value): Value | string =>
    typeof value === 'string' ? value.replaceAll(apiKey, '[redacted]') : value;
  const { error, finishReason } = reply;
  return { ...reply, finishReason: cut(finishReason), error: error && { ...error, code: cut(error.code) } };
}
