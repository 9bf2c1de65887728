import { errorCodes } from '../../../shared/core/taxonomy.ts';
import type { VerdictForm } from '../../../shared/llm/verdict/verdict-reply.ts';
import type { ModelMonitorSpec } from '../../../shared/schemas/sweep-spec.ts';

/** How strictly an endpoint holds the reply to JSON, strictest first. */
export const replyFormats = ['json_schema', 'json_object', 'text'] as const;
export type ReplyFormat = (typeof replyFormats)[number];

/** The statuses with which servers refuse a `response_format` that they do not know. */
const REFUSALS = new Set([400, 422, 501]);

export function isFormatRefused(httpStatus: number | null): boolean {
  return httpStatus !== null && REFUSALS.has(httpStatus);
}

/** The next weaker format; undefined after the weakest. */
export function weakerFormat(format: ReplyFormat): ReplyFormat | undefined {
  return replyFormats[replyFormats.indexOf(format) + 1];
}

/** The request fields that ask for a format; none for plain text. Plain completions have no such field. */
export function formatFields(
  format: ReplyFormat,
  form: VerdictForm,
  api: ModelMonitorSpec['config']['api'],
): Record<string, unknown> {
  if (format === 'text' || api === 'completions') return {};
  const named = { name: 'verdict', strict: true, schema: verdictJsonSchema(form) };
  if (api === 'responses') {
    return { text: { format: format === 'json_schema' ? { type: format, ...named } : { type: format } } };
  }
  return {
    response_format: format === 'json_schema' ? { type: format, json_schema: named } : { type: format },
  };
}

/**
 * The reply's schema, in the part of JSON Schema that every server takes: flat, all required, no bounds. The flag and
 * the type come first, so that a cut reply still carries the decision.
 */
export function verdictJsonSchema(form: VerdictForm): Record<string, unknown> {
  const properties = {
    error_detected: { type: 'boolean' },
    ...(form === 'typed' ? { error_type: { type: 'string', enum: [...errorCodes, 'NO_ERROR'] } } : {}),
    confidence: { type: 'number' },
    error_location: { type: 'string' },
    error_explanation: { type: 'string' },
  };
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** What endpoints have been found to take, for the life of a process. */
export class KnownFormats {
  readonly #formats = new Map<string, ReplyFormat>();

  /** What to try first: the strictest as long as nothing is known. */
  of(endpoint: string): ReplyFormat {
    return this.#formats.get(endpoint) ?? 'json_schema';
  }

  remember(endpoint: string, format: ReplyFormat): void {
    this.#formats.set(endpoint, format);
  }
}
