/** Why a stream failed, and what that means. The first eleven are those of test/cases/README.md, 1.2. */
export const streamErrorMeanings = {
  provider_error: 'the server reported an error inside the stream',
  rate_limited: 'the server limits the rate of requests, or the quota is spent',
  overloaded: 'the server, or one behind it, is overloaded',
  provider_interrupted: 'the server broke off the generation',
  premature_close: 'the stream ended without a finish reason',
  connection_reset: 'the connection broke',
  idle_timeout: 'the server was silent for too long',
  malformed_event: 'the stream held an event that is not JSON',
  empty_response: 'the reply holds no text',
  not_event_stream: 'the reply is no event stream',
  http_error: 'the server refused the request',
  connection_refused: 'no connection could be made',
  total_timeout: 'the request took longer than its limit',
  body_undecodable: 'the body is not compressed as its header says',
  event_too_large: 'the stream held an event larger than is accepted',
} as const;
export type StreamErrorKind = keyof typeof streamErrorMeanings;

export interface StreamError {
  readonly kind: StreamErrorKind;
  /** The HTTP status, the code of an error inside the stream, the finish reason, or the system's error code. */
  readonly code: string | number | null;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** What the server asks to wait, as sent, without a cap. */
  readonly retryAfterMs: number | null;
}

/** A stream error of a kind that has no code and no wait. */
export function streamError(
  kind: StreamErrorKind,
  options: { retryable: boolean; code?: string | number | null },
): StreamError {
  return { kind, code: options.code ?? null, retryable: options.retryable, retryAfterMs: null };
}

/** A stream error in words: `the server limits the rate of requests, or the quota is spent (429)`. */
export function describeStreamError(error: StreamError): string {
  const meaning = streamErrorMeanings[error.kind];
  return error.code === null ? meaning : `${meaning} (${error.code})`;
}
