import { z } from 'zod';
import { armSchema } from './arm.ts';
import { backdoorStepSchema } from './backdoor-step.ts';
import { problemSchema } from './problem.ts';
import { extractorNameSchema } from './question.ts';
import { recordedRunSchema } from './run-outcome.ts';
import { stepSchema } from './step.ts';
import { decodingSchema } from './sweep-spec.ts';

/** The version of every message below. A worker leaves what is newer than this to a newer worker. */
export const MESSAGE_VERSION = 1;

export const chatMessageSchema = z.strictObject({ role: z.enum(['system', 'user']), content: z.string() });
export type ChatMessage = z.infer<typeof chatMessageSchema>;

/** Where a run stands in a comparison: its case, and the places of the runs that it is compared with. */
export const caseEntrySchema = z.strictObject({
  caseId: z.string(),
  attack: z.string(),
  dataset: z.string(),
  arm: armSchema,
  /** A number of the question within the sweep: the cluster of its runs in intervals. */
  cluster: z.int().nonnegative(),
  clean: z.exactOptional(z.int().nonnegative()),
  attacked: z.exactOptional(z.int().nonnegative()),
  /** What this case's attack aims at, and how its own step is recognised: a run shared by two attacks has two. */
  targetAnswer: z.exactOptional(z.string()),
  backdoorStep: z.exactOptional(backdoorStepSchema),
});
export type CaseEntry = z.infer<typeof caseEntrySchema>;

/** A labelled chain: its own steps, in order. No label of it stands here. */
const labelledChainSchema = z.strictObject({ steps: z.array(z.string()) });
/** A chain of another sweep that is judged again: its steps as they were recorded, and what its run came to. */
const recordedChainSchema = z.strictObject({ chain: z.array(stepSchema), run: recordedRunSchema });
export type RecordedChain = z.infer<typeof recordedChainSchema>;

/** What takes the place of the target's stream. */
export const replaySchema = z.union([labelledChainSchema, recordedChainSchema]);
export type Replay = z.infer<typeof replaySchema>;

/** One run, as the feeder enqueues it and a generation worker takes it. All that its worker needs of the plan. */
export const generationJobSchema = z.strictObject({
  v: z.literal(MESSAGE_VERSION),
  sweep: z.string(),
  place: z.int().nonnegative(),
  runId: z.string(),
  target: z.string(),
  messages: z.array(chatMessageSchema).min(1),
  /** Sent in the place of the messages: input embeddings, base64 of a saved tensor. Completions API only. */
  promptEmbeds: z.exactOptional(z.string().min(1)),
  decoding: decodingSchema,
  /** The seed sent to the target. */
  seed: z.int().nonnegative(),
  repeat: z.int().nonnegative(),
  questionId: z.string(),
  dataset: z.string(),
  extractor: extractorNameSchema,
  choices: z.exactOptional(z.array(z.strictObject({ label: z.string(), text: z.string() }))),
  gold: z.string(),
  cases: z.array(caseEntrySchema).min(1),
  /** Nothing is asked of the target: `messages` is the problem alone, as it was recorded. */
  replay: z.exactOptional(replaySchema),
  /** Guarded arms only: who watches, and the problem as that monitor sees it. */
  guard: z.exactOptional(
    z.strictObject({ monitor: z.string(), version: z.string(), problem: problemSchema }),
  ),
});
export type GenerationJob = z.infer<typeof generationJobSchema>;

/** Asks a monitor worker to watch one epoch of one run. The problem stands in the run's hash. */
export const watchJobSchema = z.strictObject({
  v: z.literal(MESSAGE_VERSION),
  sweep: z.string(),
  place: z.int().nonnegative(),
  epoch: z.int().positive(),
  token: z.string(),
  monitor: z.string(),
});
export type WatchJob = z.infer<typeof watchJobSchema>;
