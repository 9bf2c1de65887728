import { z } from 'zod';
import { jsonRows, labelledOption, requireLabel, type Importer } from './importer.ts';

const rowSchema = z.object({
  Problem: z.string(),
  Rationale: z.string().default(''),
  options: z.string(),
  correct: z.string(),
});

/** "a ) 38 , b ) 27.675 , c ) 30": split before each letter with its bracket; some rows are a printed list. */
function splitOptions(options: string): string[] {
  const listed = [...options.matchAll(/'([^']*)'/g)].map(([, option = '']) => option);
  if (options.trim().startsWith('[') && listed.length > 1) return listed;
  return options.split(/,(?=\s*[a-e]\s*\))/).map((option) => option.trim());
}

/** MathQA. */
export const mathqa: Importer = {
  name: 'mathqa',
  description: 'JSON array of { Problem, Rationale, options, correct }, options in one string',
  rows: (text) => jsonRows(text),
  drafts: (row, number) => {
    const { Problem: question, Rationale, options, correct } = rowSchema.parse(row);
    const choices = splitOptions(options).map(labelledOption);
    const rationale = Rationale.trim().replace(/^"|"$/g, '').trim();
    const answer = requireLabel(correct, choices);
    return [{ id: String(number), question, answer, choices, ...(rationale && { rationale }) }];
  },
};
