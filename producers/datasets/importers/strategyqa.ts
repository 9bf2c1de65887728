import { z } from 'zod';
import { jsonRows, type Importer } from './importer.ts';

const publishedSchema = z.object({
  qid: z.string(),
  question: z.string(),
  answer: z.boolean(),
  facts: z.array(z.string()).default([]),
});
const bigBenchSchema = z.object({
  input: z.string(),
  target_scores: z.object({ Yes: z.number(), No: z.number() }),
  target: z.string().default(''),
});

/** StrategyQA: as published, or the BIG-bench task file, whose target opens with the answer ("Yes. ..."). */
export const strategyqa: Importer = {
  name: 'strategyqa',
  description: 'JSON array of { qid, question, answer, facts }, or the BIG-bench task { examples }',
  rows: (text) => jsonRows(text, ['examples']),
  drafts: (row, number) => {
    const bigBench = bigBenchSchema.safeParse(row);
    if (bigBench.success) {
      const { input, target, target_scores: scores } = bigBench.data;
      const rationale = target.replace(/^\s*(?:yes|no)\b[.,]?\s*/i, '');
      const answer = scores.Yes > scores.No ? 'yes' : 'no';
      return [{ id: String(number), question: input, answer, ...(rationale && { rationale }) }];
    }
    const { qid, question, answer, facts } = publishedSchema.parse(row);
    const rationale = facts.join('\n');
    return [{ id: qid, question, answer: answer ? 'yes' : 'no', ...(rationale && { rationale }) }];
  },
};
