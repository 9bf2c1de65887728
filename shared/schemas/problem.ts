import { z } from 'zod';

/** How much of the problem a monitor sees; every table names it (DESIGN, "Monitors"). */
export const problemSights = ['user', 'original', 'prompt'] as const;
export const problemSightSchema = z.enum(problemSights);
export type ProblemSight = z.infer<typeof problemSightSchema>;

/**
 * The problem as a monitor sees it. `query` is the user's question, `context` retrieved text (unverified: it may be
 * the attack), `asksForSteps` whether the prompt asks the target to reason step by step. Gold and target answers
 * never stand here.
 */
export const problemSchema = z.strictObject({
  query: z.string(),
  context: z.exactOptional(z.string()),
  asksForSteps: z.boolean(),
});
export type Problem = z.infer<typeof problemSchema>;
