import { z } from 'zod';

/** How the interval of an estimate was made; the files of `shared/core/statistics/` say how each works. */
export const intervalMethods = ['wilson', 'cluster-bootstrap', 'newcombe', 'delta'] as const;

/**
 * A figure with what it rests on. `value`, `low` and `high` (95% interval) are absent when nothing was scored: missing
 * is not zero. `n` counts the records in the figure, `clusters` the questions behind them. `dropped` counts what was
 * left out, by reason. `rough` marks a figure from fewer than 30 questions.
 */
export const estimateSchema = z.strictObject({
  value: z.exactOptional(z.number()),
  n: z.int().nonnegative(),
  clusters: z.int().nonnegative(),
  low: z.exactOptional(z.number()),
  high: z.exactOptional(z.number()),
  dropped: z.record(z.string(), z.int().nonnegative()),
  method: z.enum(intervalMethods),
  rough: z.exactOptional(z.literal(true)),
});
export type Estimate = z.infer<typeof estimateSchema>;
