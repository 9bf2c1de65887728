import { isJsonObject, objectMember, parseJson } from './json-value.ts';
import type { StreamError, StreamErrorKind } from './stream-error.ts';

/** Response headers by lower-case name, as `node:http` gives them. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

const OVERLOADED_STATUSES = new Set([502, 503, 504, 520, 521, 522, 523, 524, 529]);
const RETRYABLE_4XX = new Set([408, 409, 429]);

/** The error of a response with status 400 or more (test/cases/README.md, 1.7); `body` may be cut or no JSON. */
export function readHttpError(status: number, headers: ResponseHeaders, body: string): StreamError {
  return {
    kind: kindOf(status),
    code: status,
    retryable: (RETRYABLE_4XX.has(status) || status >= 500) && !isQuotaSpent(body),
    retryAfterMs: retryAfterMs(headers),
  };
}

function kindOf(status: number): StreamErrorKind {
  if (status === 429) return 'rate_limited';
  return OVERLOADED_STATUSES.has(status) ? 'overloaded' : 'http_error';
}

function isQuotaSpent(body: string): boolean {
  const value = parseJson(body.replace(/^\uFEFF/, ''));
  const error = isJsonObject(value) ? objectMember(value, 'error') : {};
  return error['type'] === 'insufficient_quota' || error['code'] === 'insufficient_quota';
}

/** What the server asks to wait: `retry-after-ms`, else `retry-after` in seconds; null when neither is a number. */
export function retryAfterMs(headers: ResponseHeaders): number | null {
  const milliseconds = headerNumber(headers['retry-after-ms']);
  if (milliseconds !== null) return Math.round(milliseconds);
  const seconds = headerNumber(headers['retry-after']);
  return seconds === null ? null : Math.round(seconds * 1000);
}

function headerNumber(value: string | readonly string[] | undefined): number | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
