import { z } from 'zod';

/** How an answer is found in a text and compared with the gold answer; one file each in `shared/core/answers/`. */
export const extractorNames = ['number', 'choice', 'yes-no', 'span', 'math'] as const;
export const extractorNameSchema = z.enum(extractorNames);
export type ExtractorName = z.infer<typeof extractorNameSchema>;

/** One line of a data set file (JSONL). `answer` is the choice label where there are choices, `yes`/`no` likewise. */
export const questionSchema = z.object({
  id: z.string().min(1),
  dataset: z.string().min(1),
  question: z.string().min(1),
  answer: z.string().min(1),
  choices: z.exactOptional(z.array(z.object({ label: z.string(), text: z.string() })).min(2)),
  context: z.exactOptional(z.string()),
  /** A worked solution; used by the simulator and never sent to a target. */
  rationale: z.exactOptional(z.string()),
});
export type Question = z.infer<typeof questionSchema>;
