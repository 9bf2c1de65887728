import { z } from 'zod';
import type { Problem } from '../../shared/schemas/problem.ts';
import { slugSchema } from '../../shared/schemas/sweep-spec.ts';

/** One line of a file of labelled chains (JSONL). `firstError` counts steps from 0; null where the chain has no error. */
export const chainRowSchema = z
  .object({
    id: z.string().min(1),
    dataset: slugSchema,
    question: z.string(),
    context: z.exactOptional(z.string()),
    choices: z.exactOptional(z.array(z.object({ label: z.string(), text: z.string() }))),
    steps: z.array(z.string()).min(1),
    firstError: z.int().nonnegative().nullable(),
    /** The source's own word for the error. */
    errorType: z.exactOptional(z.string()),
  })
  .refine(({ steps, firstError }) => firstError === null || firstError < steps.length, {
    path: ['firstError'],
    error: 'expected the index of a step',
  });
export type ChainRow = z.infer<typeof chainRowSchema>;

/** The problem of a recorded chain: one view serves all monitors, since nothing was injected. */
export function problemOfRow({ question, choices = [], context }: ChainRow): Problem {
  const options = choices.map(({ label, text }) => `\n${label}) ${text}`).join('');
  return {
    query: question + options,
    ...(context !== undefined && { context }),
    asksForSteps: true,
  };
}
