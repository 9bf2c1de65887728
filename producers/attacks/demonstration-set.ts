import { z } from 'zod';

const lines = z.array(z.string().min(1)).min(1);

/**
 * One demonstration of a user's own set: the question and the lines of its solution, answer line included. A
 * backdoored one may name its backdoor line (`backdoorStep`, 0-indexed), and needs its clean twin to render the clean
 * arm.
 */
export const demonstrationSchema = z.object({
  question: z.string().min(1),
  steps: lines,
  backdoored: z.boolean().default(false),
  backdoorStep: z.exactOptional(z.int().nonnegative()),
  clean: z.exactOptional(z.object({ question: z.string().min(1), steps: lines })),
});
export type OwnDemonstration = z.infer<typeof demonstrationSchema>;

/** One line of a demonstrations file (JSONL). A set without backdoored demonstrations is the clean twin of its data set. */
export const demonstrationSetSchema = z.object({
  id: z.string().min(1),
  dataset: z.string().min(1),
  trigger: z.exactOptional(z.string().min(1)),
  demos: z.array(demonstrationSchema).min(1),
});
export type DemonstrationSet = z.infer<typeof demonstrationSetSchema>;

/** "Question: …" and its lines, single newlines inside. */
export function demonstrationText({
  question,
  steps,
}: {
  question: string;
  steps: readonly string[];
}): string {
  return [`Question: ${question}`, ...steps].join('\n');
}
