import { z } from 'zod';

const afterTokens = z.int().nonnegative();

/** What can go wrong with one request. Token counts are those written before the fault. */
export const faultSchema = z.discriminatedUnion('type', [
  /** An HTTP error with a JSON body; `retryAfterSeconds` becomes the Retry-After header. */
  z.strictObject({
    type: z.literal('status'),
    status: z.int().min(400).max(599),
    retryAfterSeconds: z.exactOptional(z.number().nonnegative()),
  }),
  /** The connection is closed with no reply at all. */
  z.strictObject({ type: z.literal('refuse') }),
  /** Nothing is ever sent, not even headers. */
  z.strictObject({ type: z.literal('hang') }),
  /** The stream falls silent and stays open. */
  z.strictObject({ type: z.literal('stall'), afterTokens }),
  /** The socket is destroyed. */
  z.strictObject({ type: z.literal('cut'), afterTokens }),
  /** The socket is destroyed inside a character of several bytes. */
  z.strictObject({ type: z.literal('cut-utf8'), afterTokens }),
  /** The stream ends cleanly, with neither finish_reason nor [DONE]. */
  z.strictObject({ type: z.literal('end'), afterTokens }),
  /** An error object arrives inside the stream, which then ends. */
  z.strictObject({ type: z.literal('error-event'), afterTokens }),
  /** So many tokens a second, whatever the simulator's own speed. */
  z.strictObject({ type: z.literal('slow'), tokensPerSecond: z.number().positive() }),
]);
export type Fault = z.infer<typeof faultSchema>;

/**
 * Reads a fault written as `429@2` (Retry-After 2 s), `503`, `refuse`, `hang`, `stall@40`, `cut@40`, `cut-utf8@40`,
 * `end@40`, `error-event@40` or `slow@5`: the form used in the `x-haltline-fault` header and behind a `+` in a model
 * name (`sim-instruct+cut@40`).
 *
 * @returns undefined when the text names no fault
 */
export function parseFault(text: string): Fault | undefined {
  const [name = '', argument] = text.trim().split('@');
  const count = Number(argument ?? '0');
  const isStatus = /^[45]\d\d$/.test(name);
  const parsed = faultSchema.safeParse(
    isStatus
      ? {
          type: 'status',
          status: Number(name),
          ...(argument === undefined ? {} : { retryAfterSeconds: count }),
        }
      : name === 'refuse' || name === 'hang'
        ? { type: name }
        : name === 'slow'
          ? { type: name, tokensPerSecond: count }
          : { type: name, afterTokens: count },
  );
  return parsed.success ? parsed.data : undefined;
}

export const faultTextSchema = z
  .string()
  .refine(
    (text) => parseFault(text) !== undefined,
    'expected a fault such as 429@2, hang, stall@40 or cut@40',
  );

/** Splits `sim-instruct+cut@40` into the model and its fault. */
export function splitModelName(name: string): { model: string; fault: Fault | undefined } {
  const place = name.lastIndexOf('+');
  const fault = place < 0 ? undefined : parseFault(name.slice(place + 1));
  return fault === undefined ? { model: name, fault } : { model: name.slice(0, place), fault };
}
