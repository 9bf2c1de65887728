import { z } from 'zod';
import { verdictTypes } from '../core/taxonomy.ts';
import { caseEntrySchema, MESSAGE_VERSION } from './job.ts';
import { extractorNameSchema } from './question.ts';
import { generatedShape, replayedSchema } from './run-outcome.ts';
import { channelSchema, stepSchema } from './step.ts';
import { decodingSchema } from './sweep-spec.ts';
import { verdictSchema } from './verdict.ts';

const count = z.int().nonnegative();
const ms = z.number().nonnegative();

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
 * What a run came to, as its generation worker commits it. Scores are no part of it: they are computed from the stored
 * answer, the gold and the target answer.
 */
export const runResultSchema = z.strictObject({
  v: z.literal(MESSAGE_VERSION),
  sweep: z.string(),
  place: count,
  runId: z.string(),
  ...generatedShape,
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
  decoding: decodingSchema,
  seed: count,
  extractor: extractorNameSchema,
  gold: z.string(),
  steps: count,
  unjudged: count,
  superseded: count,
  flag: z.exactOptional(flagSchema),
  verdictMs: z.exactOptional(z.strictObject({ n: count, p50: ms, p95: ms, max: ms })),
  /** Nothing was asked of the target: the chain was recorded in another sweep. Every figure of it is a replayed one. */
  replayed: z.exactOptional(replayedSchema),
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
  /** Of the calls, those that a simulator answered; absent for none. */
  simulatedCalls: z.exactOptional(count),
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
