import { isJsonObject, objectMember, type JsonObject } from './json-value.ts';
import { streamError, type StreamError, type StreamErrorKind } from './stream-error.ts';

/**
 * The error that a payload reports inside a stream, or null (test/cases/README.md, 1.3 rule 7; the Responses API's
 * `response.failed` and `error` events by 1.5). `"error": null` is no error.
 */
export function readInBandError(
  payload: JsonObject,
  context: { eventName: string; isResponsesApi: boolean },
): StreamError | null {
  if (context.isResponsesApi && payload['type'] === 'response.failed') {
    return classifyError(objectMember(objectMember(payload, 'response'), 'error'));
  }
  const isError =
    Boolean(payload['error']) ||
    context.eventName === 'error' ||
    payload['object'] === 'error' ||
    (context.isResponsesApi && payload['type'] === 'error');
  return isError ? classifyError(errorObject(payload)) : null;
}

/** The error of an `error` field line, whose value may be any JSON, or none. */
export function readErrorLine(value: unknown): StreamError {
  return classifyError(isJsonObject(value) ? errorObject(value) : {});
}

function errorObject(payload: JsonObject): JsonObject {
  return isJsonObject(payload['error']) ? payload['error'] : payload;
}

/** Error classes of test/cases/README.md, 1.7. */
function classifyError(error: JsonObject): StreamError {
  const code = codeOf(error['code']) ?? codeOf(error['status']);
  const number = numericCode(code);
  const words = `${typeof error['type'] === 'string' ? error['type'] : ''}\n${code ?? ''}`.toLowerCase();
  const isClientError = number !== null && number >= 400 && number < 500 && !RETRYABLE_4XX.has(number);
  const retryable = !isClientError && !HOPELESS_WORDS.some((word) => words.includes(word));
  return streamError(kindOf(number, words), { code, retryable });
}

const RETRYABLE_4XX = new Set([408, 409, 429]);
const OVERLOADED_CODES = new Set([502, 503, 504, 529]);
const HOPELESS_WORDS = ['invalid', 'context_length', 'insufficient_quota'];

function kindOf(number: number | null, words: string): StreamErrorKind {
  if (number === 429 || words.includes('rate_limit') || words.includes('insufficient_quota'))
    return 'rate_limited';
  if ((number !== null && OVERLOADED_CODES.has(number)) || words.includes('overloaded')) return 'overloaded';
  return 'provider_error';
}

function codeOf(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

function numericCode(code: string | number | null): number | null {
  if (typeof code === 'number') return code;
  return code !== null && /^\d+$/.test(code) ? Number(code) : null;
}
