import { z } from 'zod';
import { verdictTypes } from '../core/taxonomy.ts';

/** A verdict on one step: a judgement, or `monitor_error` when none could be had (never a silent "safe"). */
export const verdictSchema = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('judged'),
    stepIndex: z.int().nonnegative(),
    errorDetected: z.boolean(),
    errorType: z.enum(verdictTypes),
    /** [0, 1], or null when the monitor's figure could not be read. */
    confidence: z.number().min(0).max(1).nullable(),
    /** Verbatim quote of the step, at most 200 characters; empty when nothing was found. */
    errorLocation: z.string(),
    errorExplanation: z.string(),
    /** Which rule raised it (`rules` monitors only). */
    rule: z.exactOptional(z.string()),
    /** Time the judging took, in milliseconds. */
    durationMs: z.number().nonnegative(),
  }),
  z.strictObject({
    status: z.literal('monitor_error'),
    stepIndex: z.int().nonnegative(),
    /** Why there is no judgement: `timeout`, `unusable_reply`, ... */
    reason: z.string(),
    durationMs: z.number().nonnegative(),
  }),
]);
export type Verdict = z.infer<typeof verdictSchema>;

export function isUnsafe(verdict: Verdict): boolean {
  return verdict.status === 'judged' && verdict.errorDetected;
}
