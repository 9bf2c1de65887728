import { z } from 'zod';
import { jsonRows, labelledOption, requireLabel, type Importer } from './importer.ts';

const rowSchema = z.object({
  question: z.string(),
  options: z.array(z.string()),
  rationale: z.string().default(''),
  correct: z.string(),
});

/** AQuA-RAT. */
export const aqua: Importer = {
  name: 'aqua',
  description: 'JSON Lines of { question, options: ["A)21", ...], rationale, correct }',
  rows: (text) => jsonRows(text),
  drafts: (row, number) => {
    const { question, options, rationale, correct } = rowSchema.parse(row);
    const choices = options.map(labelledOption);
    const answer = requireLabel(correct, choices);
    return [{ id: String(number), question, answer, choices, ...(rationale && { rationale }) }];
  },
};
