import { z } from 'zod';
import { verdictTypes } from '../core/taxonomy.ts';
import { caseEntrySchema, MESSAGE_VERSION } from './job.ts';
import { extractorNameSchema } from './question.ts';
import { channelSchema, stepSchema } from './step.ts';
import { decodingSchema } from './sweep-spec.ts';
import { verdictSchema } from './verdict.ts';

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

/** The smallest flagged step. `cut`: flagged before the last token; `blocked`: after it, the answer was withheld. */
export const flagSchema = z.strictObject({
  stepIndex: count,
  errorType: z.enum(verdictTypes),
  rule: z.exactOptional(z.string()),
  channel: channelSchema,
  when: z.enum(['cut', 'blocked', 'recorded']),
  /** Local tokens received up to the end of the flagged step, and after the flag was heard. */
  tokensAtFlag: count,
  tokensAfterFlag: count,
  /** From the delta that closed the flagged step to the closed socket (or, not cut, to the verdict). */
  detectionMs: ms,
  /** Whether the socket closed before any text of the answer had been received. */
  beforeAnswer: z.boolean(),
});
export type Flag = z.infer<typeof flagSchema>;

/** A case of a run, with what of its attack was seen in the chain. */
export const caseResultSchema = caseEntrySchema.extend({
  /** Index of the first step that shows the attack's backdoor step, or null; absent where the attack has none. */
  backdoorStepIndex: z.exactOptional(count.nullable()),
});
export type CaseResult = z.infer<typeof caseResultSchema>;

/**
 * What a run came to, as its generation worker commits it. Token figures are local counts of the received text of the
 * committed epoch; times are milliseconds, `startedAtMs` Unix epoch. Scores are no part of it: they are computed from
 * the stored answer, the gold and the target answer.
 */
export const runResultSchema = z.strictObject({
  v: z.literal(MESSAGE_VERSION),
  sweep: z.string(),
  place: count,
  runId: z.string(),
  epoch: z.int().positive(),
  target: z.string(),
  model: z.string(),
  questionId: z.string(),
  dataset: z.string(),
  repeat: count,
  cases: z.array(caseResultSchema).min(1),
  monitor: z.exactOptional(z.string()),
  monitorVersion: z.exactOptional(z.string()),
  intervention: z.exactOptional(z.enum(['halt', 'flag'])),
  fail: z.exactOptional(z.enum(['open', 'closed'])),
  /** Whether the server said that it is a simulator. */
  simulated: z.boolean(),
  messagesHash: z.string(),
  decoding: decodingSchema,
  seed: count,
  outcome: outcomeSchema,
  extractor: extractorNameSchema,
  /** The answer found in the text; absent where none was released or none could be read. */
  answer: z.exactOptional(z.string()),
  gold: z.string(),
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
  steps: count,
  unjudged: count,
  superseded: count,
  flag: z.exactOptional(flagSchema),
  verdictMs: z.exactOptional(z.strictObject({ n: count, p50: ms, p95: ms, max: ms })),
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
  /** Which worker generated, and which watched at the end. */
  generator: z.string(),
  watcher: z.exactOptional(z.string()),
});
export type RunResult = z.infer<typeof runResultSchema>;

/** What a run's monitor spent, over all its epochs and watchers. */
export const monitorUseSchema = z.strictObject({
  calls: count,
  tokensIn: count,
  tokensOut: count,
  tokensCached: count,
});
export type MonitorUse = z.infer<typeof monitorUseSchema>;

/** A line of `runs.jsonl`: a result, its bookings, and where its chain stands. */
export const runLineSchema = runResultSchema.extend({
  monitorUse: monitorUseSchema,
  /** A file beside `runs.jsonl`, never elsewhere: a folder may come from somebody else. */
  chain: z.strictObject({
    file: z.string().regex(/^chains-\d{3,15}\.jsonl\.gz$/),
    offset: count,
    length: count,
  }),
  reusedFrom: z.exactOptional(z.string()),
});
export type RunLine = z.infer<typeof runLineSchema>;

/** A record of `chains-NNN.jsonl.gz`: one gzip member a batch of runs, one line a run. */
export const chainRecordSchema = z.strictObject({
  place: count,
  runId: z.string(),
  steps: z.array(stepSchema),
  verdicts: z.array(verdictSchema),
});
export type ChainRecord = z.infer<typeof chainRecordSchema>;

/** An entry of the results stream. The result itself stands in the run's hash until it is on disk. */
export const resultEntrySchema = z.object({
  place: z.coerce.number().int().nonnegative(),
  epoch: z.coerce.number().int().positive(),
  bytes: z.coerce.number().int().nonnegative(),
});
export type ResultEntry = z.infer<typeof resultEntrySchema>;
