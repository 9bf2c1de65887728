import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseVerdictReply } from '../../../../shared/llm/verdict/parse-verdict-reply.ts';

const verdictCaseSchema = z.object({
  id: z.string(),
  reply: z.object({
    finish_reason: z.string().nullable(),
    content_null: z.boolean(),
    reasoning_text: z.string().nullable(),
    refusal: z.string().nullable(),
  }),
  step: z.string(),
  previous_steps: z.array(z.string()),
  expect: z.strictObject({
    parse: z.string(),
    verdict: z.unknown(),
    location_match: z.string().nullable(),
    failure: z.string().nullable(),
    retry: z.boolean(),
  }),
});
export type VerdictCase = z.infer<typeof verdictCaseSchema> & { readonly content: string };

/** Every verdict case of a folder: of its `verdicts` folder if it has one, else of its own. */
function loadVerdictCases(folder: string): VerdictCase[] {
  const inner = join(folder, 'verdicts');
  const verdicts = existsSync(inner) ? inner : folder;
  const names = readdirSync(verdicts).filter((name) => name.endsWith('.txt'));
  return names.map((name) => {
    const expected: unknown = JSON.parse(
      readFileSync(join(verdicts, name.replace(/\.txt$/, '.expected.json')), 'utf8'),
    );
    return { ...verdictCaseSchema.parse(expected), content: readFileSync(join(verdicts, name), 'utf8') };
  });
}

/** The project's own cases, and those of `HALTLINE_CASES_DIR` when that is set. */
export function allVerdictCases(): VerdictCase[] {
  const own = loadVerdictCases(join(import.meta.dirname, '../../../cases'));
  const more = process.env['HALTLINE_CASES_DIR'];
  return more === undefined || more === '' ? own : [...own, ...loadVerdictCases(more)];
}

/** What the ladder makes of a case, in the words of its file. */
export function readCase({ reply, content, step, previous_steps: previous }: VerdictCase) {
  const { locationMatch, ...rest } = parseVerdictReply(
    {
      content: reply.content_null ? null : content,
      finishReason: reply.finish_reason,
      reasoningText: reply.reasoning_text,
      refusal: reply.refusal,
    },
    step,
    previous,
  );
  return { ...rest, location_match: locationMatch };
}
