import { z } from 'zod';
import { jsonRows, RowError, type Draft, type Importer } from './importer.ts';

const text = z.string();
const idSchema = z.union([z.string(), z.number()]).transform(String);
const rowSchema = z.object({
  id: z.exactOptional(idSchema),
  ID: z.exactOptional(idSchema),
  unique_id: z.exactOptional(text),
  problem: z.exactOptional(text),
  Problem: z.exactOptional(text),
  answer: z.exactOptional(idSchema),
  Answer: z.exactOptional(idSchema),
  solution: z.exactOptional(text),
  Solution: z.exactOptional(text),
});

function draft(value: unknown, number: number): Draft {
  const row = rowSchema.parse(value);
  const question = row.problem ?? row.Problem;
  const answer = row.answer ?? row.Answer;
  const rationale = row.solution ?? row.Solution ?? '';
  if (question === undefined) throw new RowError('expected a text under "problem"');
  if (answer === undefined) throw new RowError('expected a value under "answer"');
  const id = (row.unique_id ?? row.id ?? row.ID ?? String(number))
    .replace(/\.json$/, '')
    .replaceAll('/', '-');
  return { id, question, answer: answer.trim(), ...(rationale && { rationale }) };
}

/** AIME 2024: whole numbers from 0 to 999; a leading zero ("033") is dropped. */
export const aime2024: Importer = {
  name: 'aime2024',
  description: 'JSON Lines of { id, problem, answer, solution }, in small or capital letters',
  rows: (source) => jsonRows(source),
  drafts: (row, number) => {
    const made = draft(row, number);
    return [{ ...made, answer: made.answer.replace(/^0+(?=\d)/, '') }];
  },
};

/** MATH-500: answers are formulas in LaTeX. */
export const math500: Importer = {
  name: 'math500',
  description: 'JSON Lines of { problem, solution, answer, subject, level, unique_id }',
  rows: (source) => jsonRows(source),
  drafts: (row, number) => [draft(row, number)],
};
