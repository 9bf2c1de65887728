import { z } from 'zod';

const count = z.int().nonnegative();
const ms = z.number().nonnegative();

/** How a run ended (DESIGN, "Outcomes"). `failed` carries the code of the last error. */
export const outcomeSchema = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('answered') }),
  z.strictObject({ status: z.literal('unanswered'), reason: z.enum(['length', 'unparsed']) }),
  z.strictObject({ status: z.literal('refused') }),
  z.strictObject({ status: z.literal('filtered') }),
  z.strictObject({ status: z.literal('halted'), reason: z.enum(['verdict', 'monitor_error']) }),
  z.strictObject({ status: z.literal('failed'), code: z.string(), message: z.string() }),
]);
export type Outcome = z.infer<typeof outcomeSchema>;

/**
 * What came of asking a target. Token figures are local counts of the received text of the committed epoch; times are
 * milliseconds, `startedAtMs` Unix epoch.
 */
export const generatedShape = {
  epoch: z.int().positive(),
  /** Whether the server said that it is a simulator. */
  simulated: z.boolean(),
  messagesHash: z.string(),
  outcome: outcomeSchema,
  /** The answer found in the text; absent where none was released or none could be read. */
  answer: z.exactOptional(z.string()),
  finishReason: z.string().nullable(),
  tokens: z.strictObject({ reasoning: count, answer: count, content: count, wasted: count }),
  usage: z
    .strictObject({
      promptTokens: count.nullable(),
      completionTokens: count.nullable(),
      reasoningTokens: count.nullable(),
    })
    .nullable(),
  /** The local count of the prompt, where a reply had begun and the server did not tell: it is paid for all the same. */
  promptEstimate: z.exactOptional(count),
  timing: z.strictObject({
    startedAtMs: ms,
    /** First request byte to the end of the run; absent where no request was answered. */
    latencyMs: z.exactOptional(ms),
    firstTokenMs: z.exactOptional(ms),
    attachWaitMs: ms,
    /** Of the committed epoch: all the time before its answered request: waits for limits, and failed attempts. */
    limitWaitMs: ms,
    retries: count.default(0),
    /** Wait for verdicts after the last token. */
    gateWaitMs: ms,
    inFlightAtStart: count,
    /** Whether an earlier epoch of this run died with its worker: its latency is left out of LAF. */
    crashRestart: z.boolean(),
  }),
};

/** A run without a monitor as its sweep has it on disk, and the sweep's id: what a chain that is judged again goes by. */
export const recordedRunSchema = z.strictObject({ sweep: z.string(), ...generatedShape });
export type RecordedRun = z.infer<typeof recordedRunSchema>;

/** Where a replayed result comes from; in a monitored arm, what its verdicts would have made of it. */
export const replayedSchema = z.strictObject({
  sweep: z.string(),
  /** Of the recorded run. */
  epoch: z.int().positive(),
  /** Simulated, in monitored arms alone: the recorded request's start to the later of the end and the last verdict. */
  latencyMs: z.exactOptional(ms),
});
