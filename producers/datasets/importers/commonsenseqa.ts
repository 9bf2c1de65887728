import { z } from 'zod';
import { jsonRows, requireLabel, type Importer } from './importer.ts';

const optionSchema = z.object({ label: z.string(), text: z.string() });
const nestedSchema = z.object({
  id: z.string(),
  answerKey: z.string().min(1, 'expected the gold label; the test file has none'),
  question: z.object({ stem: z.string(), choices: z.array(optionSchema) }),
});
const flatSchema = z.object({
  id: z.string(),
  answerKey: z.string().min(1, 'expected the gold label; the test file has none'),
  question: z.string(),
  choices: z.object({ label: z.array(z.string()), text: z.array(z.string()) }),
});

/** CommonsenseQA: as published (options inside the question) or in columns. */
export const commonsenseqa: Importer = {
  name: 'commonsenseqa',
  description: 'JSON Lines of { id, question: { stem, choices }, answerKey }, or the same in columns',
  rows: (text) => jsonRows(text),
  drafts: (row) => {
    const flat = flatSchema.safeParse(row);
    if (flat.success) {
      const { id, question, answerKey } = flat.data;
      const { label, text } = flat.data.choices;
      const choices = label.map((name, index) => ({ label: name, text: text[index] ?? '' }));
      return [{ id, question, answer: requireLabel(answerKey, choices), choices }];
    }
    const { id, answerKey, question } = nestedSchema.parse(row);
    const { stem, choices } = question;
    return [{ id, question: stem, answer: requireLabel(answerKey, choices), choices }];
  },
};
