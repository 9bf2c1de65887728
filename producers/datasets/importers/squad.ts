import { z } from 'zod';
import { jsonRows, RowError, type Importer } from './importer.ts';

const paragraphSchema = z.object({
  context: z.string(),
  qas: z.array(
    z.object({
      id: z.string(),
      question: z.string(),
      answers: z.array(z.object({ text: z.string() })).default([]),
      is_impossible: z.boolean().default(false),
    }),
  ),
});
const articleSchema = z.object({ paragraphs: z.array(paragraphSchema) });
const flatSchema = z.object({
  id: z.string(),
  question: z.string(),
  context: z.string(),
  answers: z.object({ text: z.array(z.string()) }),
});

/** The answer that most annotators gave; the earliest among equals. */
function commonest(answers: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** SQuAD 1.1 and 2.0 (questions without an answer are left out), nested as published or flat, one row a question. */
export const squad: Importer = {
  name: 'squad',
  description:
    'JSON of { data: [{ paragraphs: [{ context, qas }] }] }, or flat rows of question, context, answers',
  rows: (text) => jsonRows(text, ['data']),
  drafts: (row) => {
    const flat = flatSchema.safeParse(row);
    if (flat.success) {
      const { id, question, context, answers } = flat.data;
      const answer = commonest(answers.text);
      if (answer === undefined) throw new RowError('answers: expected one at least');
      return [{ id, question: question.trim(), answer, context }];
    }
    return articleSchema.parse(row).paragraphs.flatMap(({ context, qas }) =>
      qas.flatMap(({ id, question, answers }) => {
        const answer = commonest(answers.map(({ text }) => text));
        return answer === undefined ? [] : [{ id, question: question.trim(), answer, context }];
      }),
    );
  },
};
