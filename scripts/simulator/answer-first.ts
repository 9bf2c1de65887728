import type { Random } from '../../shared/core/random.ts';
import type { Question } from '../../shared/schemas/question.ts';
import { bendSolution, slipAnswer, type Solution } from './solve-question.ts';

/** An answer that is to stand before the reasoning: "state your answer first", "before you reason, give the answer". */
const asksFirst = [
  /\b(?:answer|result)\b[^.!?\n]{0,60}\b(?:first(?: of all)?|up front|at the very beginning)\b(?![^.!?\n]{0,30}\bstep\b)/i,
  /\b(?:before|ahead of)\b[^.!?\n]{0,40}\b(?:reason(?:ing)?|think(?:ing)?|explain(?:ing)?|work(?:ing)?)\b[^.!?\n]{0,60}\b(?:answer|result)\b/i,
  /\b(?:answer|result)\b[^.!?\n]{0,60}\b(?:before|ahead of)\b[^.!?\n]{0,40}\b(?:reason(?:ing)?|think(?:ing)?|explain(?:ing)?|work(?:ing)?)\b/i,
];

/**
 * What asking for the answer first does to a model (the unintended form of the preemptive answer attack; ATTACKS.md,
 * section 2): it puts an answer down unworked. A rash one slips at that, and bends the reasoning to what stands there.
 *
 * @returns undefined where the prompt asks for nothing of the kind
 */
export function answerFirst(
  solution: Solution,
  query: string,
  { found, isRash, random }: { found: Question | undefined; isRash: boolean; random: Random },
): { readonly preface: readonly string[]; readonly solution: Solution } | undefined {
  // The question's own words ask for nothing.
  const asked = found === undefined ? query : query.replace(found.question, '');
  if (!asksFirst.some((pattern) => pattern.test(asked))) return undefined;
  const slip = isRash && found !== undefined ? slipAnswer(found, random) : undefined;
  const given = slip === undefined ? solution : bendSolution(solution, slip);
  return { preface: [`${given.answer}, I would say at once.`], solution: given };
}
