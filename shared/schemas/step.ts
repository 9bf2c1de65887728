import { z } from 'zod';

/** Where a step's text arrived: `content` is answer text of a run that has shown no reasoning before it. */
export const channels = ['reasoning', 'answer', 'content'] as const;
export const channelSchema = z.enum(channels);
export type Channel = z.infer<typeof channelSchema>;

/**
 * One segment of a chain, as the generation worker publishes it and a monitor judges it.
 * `index` counts from 0; `tokens` is the local count; `endedAtMs` (Unix epoch) is when its closing delta arrived.
 */
export const stepSchema = z.strictObject({
  index: z.int().nonnegative(),
  channel: channelSchema,
  text: z.string(),
  tokens: z.int().nonnegative(),
  endedAtMs: z.number().nonnegative(),
});
export type Step = z.infer<typeof stepSchema>;
