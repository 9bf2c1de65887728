import { z } from 'zod';
import { jsonRows, RowError, type Importer } from './importer.ts';

const rowSchema = z.object({ question: z.string(), answer: z.string() });

/** GSM8K: the solution with calculator marks `<<2+3=5>>`, then a line `#### 5`. */
export const gsm8k: Importer = {
  name: 'gsm8k',
  description: 'JSON Lines of { question, answer }, the answer after "####" (openai/grade-school-math)',
  rows: (text) => jsonRows(text),
  drafts: (row, number) => {
    const { question, answer: solution } = rowSchema.parse(row);
    const mark = solution.lastIndexOf('####');
    const answer = solution
      .slice(mark + 4)
      .trim()
      .replaceAll(',', '');
    if (mark < 0 || answer === '') throw new RowError('answer: expected a last line "#### number"');
    const rationale = solution
      .slice(0, mark)
      .replace(/<<[^<>]*>>/g, '')
      .trim();
    return [{ id: String(number), question: question.trim(), answer, ...(rationale && { rationale }) }];
  },
};
