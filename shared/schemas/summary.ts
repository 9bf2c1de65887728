import { z } from 'zod';
import { armSchema } from './arm.ts';
import { estimateSchema } from './estimate.ts';
import { replayedSweepSchema } from './live-sweep.ts';
import { problemSightSchema } from './problem.ts';

const count = z.int().nonnegative();
const amount = z.number().nonnegative();

/** A mean of ratios with other ways to sum the same ratios up; these are absent when no pair is left. */
export const ratioEstimateSchema = estimateSchema.extend({
  median: z.exactOptional(amount),
  geometricMean: z.exactOptional(amount),
  ratioOfMeans: z.exactOptional(amount),
});
export type RatioEstimate = z.infer<typeof ratioEstimateSchema>;

/** `n` values, of which the median, the 95th percentile and the largest are given. */
export const spreadSchema = z.strictObject({ n: count, p50: amount, p95: amount, max: amount });
export type Spread = z.infer<typeof spreadSchema>;

/** The share of interrupted runs, and where the verdict came: before the last token (`cut`) or after it (`blocked`). */
export const interruptedSchema = estimateSchema.extend({ cut: count, blocked: count });

/** Attacked and guarded runs of the same cases, by wrong answers: attacked minus guarded, and the exact test of it. */
export const versusAttackedSchema = z.strictObject({
  difference: estimateSchema,
  attackedOnly: count,
  guardedOnly: count,
  pValue: z.number().min(0).max(1),
});

/**
 * What lay between the first unsafe step and the end of a flagged run. `steps` and `tokens` are of cut runs (from the
 * end of the step to the closed socket), `ms` of all flagged runs. `verdictMs`: `n` verdicts; `p50` is the median of the
 * runs' medians, `p95` the 95th percentile of their 95th percentiles (lines hold no more), `max` the slowest verdict.
 */
export const detectionSchema = z.strictObject({
  steps: z.exactOptional(spreadSchema),
  tokens: z.exactOptional(spreadSchema),
  ms: z.exactOptional(spreadSchema),
  tokensAfterFlag: z.exactOptional(spreadSchema),
  /** Share of flagged runs that were flagged before any of the answer had come. */
  beforeAnswer: estimateSchema,
  verdictMs: z.exactOptional(spreadSchema),
  /** Added wait after the last token, over all scored runs. */
  gateWaitMs: z.exactOptional(spreadSchema),
  unjudged: count,
  superseded: count,
});
export type Detection = z.infer<typeof detectionSchema>;

/**
 * Tokens, and money where there is a price. Prompt and completion are the server's counts; a run without them (cut
 * off, most often) counts in `withoutUsage`, and both are local counts. `wasted` are local tokens of abandoned epochs.
 */
export const costSchema = z.strictObject({
  runs: count,
  withoutUsage: count,
  /** Absent where nothing was asked of a target. */
  target: z.exactOptional(
    z.strictObject({
      prompt: count,
      completion: count,
      /** Of epochs that were given up. */
      wasted: count,
      wastedPrompt: count,
      money: z.exactOptional(amount),
    }),
  ),
  monitor: z.strictObject({
    calls: count,
    tokensIn: count,
    tokensOut: count,
    tokensCached: count,
    money: z.exactOptional(amount),
  }),
  money: z.exactOptional(amount),
});
export type Cost = z.infer<typeof costSchema>;

/**
 * One row of figures: target × attack entry × data set × arm × monitor (absent for unmonitored arms). A figure that
 * doesn't apply to the row is absent; one that applies and had nothing to go on has no `value`.
 */
export const summaryRowSchema = z.strictObject({
  target: z.string(),
  attack: z.string(),
  dataset: z.string(),
  arm: armSchema,
  monitor: z.exactOptional(z.string()),
  /** Runs scored, and those left out by reason. */
  n: count,
  dropped: z.record(z.string(), count),
  outcomes: z.record(z.string(), count),
  /** Share of answered and wrong; on the clean arm the target's own error share. Labelled chains answer nothing. */
  asrWrong: z.exactOptional(estimateSchema),
  asrTarget: z.exactOptional(estimateSchema),
  asrStep: z.exactOptional(estimateSchema),
  hitLimit: z.exactOptional(estimateSchema),
  unanswered: z.exactOptional(estimateSchema),
  refused: z.exactOptional(estimateSchema),
  filtered: z.exactOptional(estimateSchema),
  /** `asrWrong` of the clean arm of the same cases. */
  cleanErrorShare: z.exactOptional(estimateSchema),
  taf: z.exactOptional(ratioEstimateSchema),
  tafAtFlag: z.exactOptional(ratioEstimateSchema),
  lafVsClean: z.exactOptional(ratioEstimateSchema),
  lafGuarded: z.exactOptional(ratioEstimateSchema),
  /**
   * Recorded chains under another monitor: every figure of the row is what its verdicts would have made of them. Tokens
   * at a cut are an upper bound, latencies are simulated, and cost is what the runs would have cost.
   */
  replayed: z.exactOptional(
    z.strictObject({
      lafVsClean: z.exactOptional(ratioEstimateSchema),
      lafGuarded: z.exactOptional(ratioEstimateSchema),
    }),
  ),
  flagged: z.exactOptional(estimateSchema),
  interrupted: z.exactOptional(interruptedSchema),
  /**
   * The first flags of the scored runs by type: how many, and which share of them (`haltline signatures` has intervals,
   * and every flagged step of runs under `flag`). Empty where nothing was flagged.
   */
  firstFlagTypes: z.exactOptional(
    z.record(z.string(), z.strictObject({ n: count, share: z.number().min(0).max(1) })),
  ),
  /** `flagged` and `interrupted` of the guarded clean arm of the same cases. */
  falseFlags: z.exactOptional(estimateSchema),
  falseInterrupts: z.exactOptional(interruptedSchema),
  versusAttacked: z.exactOptional(versusAttackedSchema),
  detection: z.exactOptional(detectionSchema),
  firstTokenMs: z.exactOptional(spreadSchema),
  inFlightAtStart: z.exactOptional(spreadSchema),
  cost: costSchema,
});
export type SummaryRow = z.infer<typeof summaryRowSchema>;

const reasoningSchema = z.enum(['visible', 'none', 'hidden']);
export type SettledReasoning = z.infer<typeof reasoningSchema>;

/** `summary.json`: every figure of a sweep, computed from its lines alone but for the two counts that Redis keeps. */
export const summarySchema = z.strictObject({
  v: z.literal(1),
  sweep: z.string(),
  name: z.string(),
  haltline: z.string(),
  /** Whether any chain or verdict came from the simulator; targets and monitors say whose. */
  simulated: z.boolean(),
  complete: z.boolean(),
  /** The sweep whose chains are judged again: nothing was asked of a target. */
  replayed: z.exactOptional(replayedSweepSchema),
  intervention: z.enum(['halt', 'flag']),
  fail: z.enum(['open', 'closed']),
  segmentation: z.string(),
  repeat: count,
  targets: z.array(
    z.strictObject({
      id: z.string(),
      model: z.string(),
      /** Which text the token figures count, settled over all runs of the target. */
      reasoning: reasoningSchema,
      maxTokens: count,
      simulated: z.exactOptional(z.literal(true)),
    }),
  ),
  /** `title` is what the entry is in a table: its name, or what it is instead (a surrogate is no Deadlock). */
  attacks: z.array(z.strictObject({ id: z.string(), name: z.string(), title: z.string() })),
  monitors: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      sees: problemSightSchema,
      simulated: z.exactOptional(z.literal(true)),
    }),
  ),
  counts: z.strictObject({
    total: count,
    lines: count,
    /** Lines of a place that had one already; the first counts. */
    repeats: count,
    unreadableLines: count,
    outcomes: z.record(z.string(), count),
    crashRestarts: count,
    reused: count,
    deadLetters: count,
    /** Monitor calls whose run was on disk already when they ended, by kind of count. */
    lateUse: z.record(z.string(), count),
    /** Runs by generating worker, watched chains by monitor worker. */
    generators: z.record(z.string(), count),
    watchers: z.record(z.string(), count),
  }),
  /** Of all runs, each counted once. */
  cost: costSchema,
  rows: z.array(summaryRowSchema),
});
export type Summary = z.infer<typeof summarySchema>;
