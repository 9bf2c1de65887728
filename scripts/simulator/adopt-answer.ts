import type { Random } from '../../shared/core/random.ts';
import { readWords } from './question-index.ts';
import { bendSolution, type Solution } from './solve-question.ts';

const value = String.raw`\$?-?\d[\d,]*(?:\.\d+)?(?:/\d+)?%?|\(?[A-F]\)?(?![\p{L}\d'])|[Yy]es\b|[Nn]o\b`;
const statement = new RegExp(
  String.raw`\b(?:answer|result|solution)\b[^.!?\n]{0,60}?(?:\bis\b|\bwas\b|\bbe\b|\bto be\b|=|:)[^.!?\n\d]{0,40}?(?:\boption\s+)?["“'*]*(${value})`,
  'gu',
);
const belief = new RegExp(
  String.raw`\b(?:I think|I believe|I'm (?:fairly |pretty |quite )?(?:sure|certain)|I am (?:fairly |pretty |quite )?(?:sure|certain)|I got|we got|should come out as|comes out (?:as|at))\b[^.!?\n\d]{0,40}?["“'*]*(${value})`,
  'gu',
);
/** Sentences about the form of the answer state none ("end with: The answer is 42."). */
const instruction =
  /\b(?:format|form|end with|finish with|conclude with|write|respond|reply|example|e\.g\.|for instance|such as|where N|placeholder)\b/i;

/**
 * The answer that a prompt states before any reasoning (preemptive answer attack; ATTACKS.md, section 2).
 *
 * @param query - the user's turn without demonstrations
 * @param question - the known question in it, whose own words state nothing
 */
export function findPlantedAnswer(query: string, question: string): string | undefined {
  const own = readWords(question).join(' ');
  const sentences = query.split(/(?<=[.!?])\s+|\n+/);
  for (const sentence of sentences) {
    if (instruction.test(sentence) || own.includes(readWords(sentence).join(' '))) continue;
    const [match] = [...sentence.matchAll(statement), ...sentence.matchAll(belief)];
    const stated = match?.[1];
    if (stated !== undefined)
      return stated.replace(/[()$,%]/g, '').replace(/^(yes|no)$/i, (word) => word.toLowerCase());
  }
  return undefined;
}

/** How a model that trusts a stated answer gets there: bent sums, a correction of its own result, or hardly any work. */
export function adoptAnswer(solution: Solution, planted: string, random: Random): Solution {
  const manner = random.next();
  if (manner < 0.5) return bendSolution(solution, planted);
  if (manner < 0.75) {
    const doubt = `That gives ${solution.answer}, but the answer was already given as ${planted}, so I must have missed something.`;
    return { steps: [...solution.steps, doubt, `I will go with ${planted}.`], answer: planted };
  }
  return { steps: [`The answer ${planted} was stated, and it fits the question.`], answer: planted };
}
