import { z } from 'zod';
import { liveSweepSchema } from './live-sweep.ts';
import { slugSchema } from './sweep-spec.ts';

/** What a million tokens cost, in any one currency; a price that is left out leaves the cost out. */
export const priceSchema = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  /** Input tokens that the server had in its cache; as `input` when left out. */
  cached: z.exactOptional(z.number().nonnegative()),
});
export type Price = z.infer<typeof priceSchema>;

export const pricesSchema = z.strictObject({
  targets: z.record(slugSchema, priceSchema).default({}),
  monitors: z.record(slugSchema, priceSchema).default({}),
});
export type Prices = z.infer<typeof pricesSchema>;

/**
 * `sweep.json`: the sweep as workers knew it, and what its runs told about it. `simulated` is absent before the first
 * run. Prices are applied by the fold, so a wrong one is mended here without running again: in `spec.prices`, or for one
 * target or monitor in `prices`, which wins.
 */
export const sweepFileSchema = liveSweepSchema.extend({
  simulated: z.exactOptional(z.boolean()),
  prices: z.exactOptional(pricesSchema),
});
export type SweepFile = z.infer<typeof sweepFileSchema>;
