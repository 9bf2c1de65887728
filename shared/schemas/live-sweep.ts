import { z } from 'zod';
import { extractorNameSchema } from './question.ts';
import { MESSAGE_VERSION } from './job.ts';
import { sweepSpecSchema } from './sweep-spec.ts';

/** A data set as this sweep uses it: what was read, what was left out, and which questions were taken, in order. */
export const sweepDatasetSchema = z.strictObject({
  id: z.string(),
  sha256: z.string(),
  extractor: extractorNameSchema,
  rows: z.int().nonnegative(),
  duplicates: z.int().nonnegative(),
  sample: z.array(z.string()),
});
export type SweepDataset = z.infer<typeof sweepDatasetSchema>;

/** The sweep whose chains are judged again: how many of its runs, and how many were left out, by reason. */
export const replayedSweepSchema = z.strictObject({
  sweep: z.string(),
  runs: z.int().nonnegative(),
  dropped: z.record(z.string(), z.int().nonnegative()),
});

/**
 * A sweep as workers know it: it stands in Redis while the sweep is live and in `sweep.json` for good. It holds no
 * secrets (API keys by variable name) and no questions' texts.
 */
export const liveSweepSchema = z.strictObject({
  v: z.literal(MESSAGE_VERSION),
  id: z.string(),
  haltline: z.string(),
  createdAtMs: z.number().nonnegative(),
  spec: sweepSpecSchema,
  /** What relative paths of the spec started from. */
  folder: z.exactOptional(z.string()),
  replayed: z.exactOptional(replayedSweepSchema),
  datasets: z.array(sweepDatasetSchema),
  /** Number of places in the plan: the sweep is finished when as many runs are on disk. */
  total: z
    .int()
    .positive()
    // Places of runs are kept in 32 bits.
    .max(2 ** 32 - 2),
});
export type LiveSweep = z.infer<typeof liveSweepSchema>;

/**
 * A sweep's state: `running`, `paused` (no run starts), `capped` (a cap of its limits is reached: no run starts, those
 * under way end), `cancelled` (runs stop), `finished` (all is on disk).
 */
export const sweepStatusSchema = z.enum(['running', 'paused', 'capped', 'cancelled', 'finished']);
export type SweepStatus = z.infer<typeof sweepStatusSchema>;

/** The limits of a sweep that stop it for good when they are reached. */
export const capSchema = z.enum(['maxCost', 'maxTokens', 'maxRuns', 'maxWallTimeMinutes']);
export type Cap = z.infer<typeof capSchema>;
