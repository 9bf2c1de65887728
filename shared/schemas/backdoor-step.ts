import { z } from 'zod';

/**
 * A backdoor step to look for in a chain: how an attack's own step is recognised for `asr_step`.
 * `multiply`: a line that multiplies an earlier result by `factor` (BadChain on arithmetic).
 * `next-letter`: a line that moves from the chosen option to the letter after it (BadChain on multiple choice).
 * `opposite`: a line that takes the opposite of what was concluded (BadChain on yes/no questions).
 */
export const backdoorStepSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('multiply'), factor: z.number().positive() }),
  z.strictObject({ type: z.literal('next-letter') }),
  z.strictObject({ type: z.literal('opposite') }),
]);
export type BackdoorStep = z.infer<typeof backdoorStepSchema>;
