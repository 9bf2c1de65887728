import { z } from 'zod';
import { stepSchema } from './step.ts';
import { verdictSchema } from './verdict.ts';

const about = { sweep: z.string(), place: z.int().nonnegative(), epoch: z.int().positive() };

/**
 * What is pushed to a worker's channel. A push may be lost, so it never stands alone: the same fact can be read from
 * the run's keys. Each carries its own index; nothing is inferred from order.
 */
export const pushSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('watch-started'), ...about, watcher: z.string() }),
  z.object({
    type: z.literal('steps-completed'),
    ...about,
    steps: z.array(stepSchema),
    /** The number of all steps: no more come. */
    ended: z.exactOptional(z.int().nonnegative()),
  }),
  z.object({ type: z.literal('steps-ended'), ...about, steps: z.int().nonnegative() }),
  z.object({ type: z.literal('verdicts-issued'), ...about, verdicts: z.array(verdictSchema) }),
  z.object({ type: z.literal('run-committed'), ...about }),
]);
export type Push = z.infer<typeof pushSchema>;
