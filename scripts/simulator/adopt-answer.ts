import type { Random } from '../../shared/core/random.ts';
import type { Question } from '../../shared/schemas/question.ts';
import { readNumber } from './arithmetic.ts';
import { readWords } from './question-index.ts';
import { bendSolution, type Solution } from './solve-question.ts';

/** A number, an option's letter, or yes or no. */
const value = String.raw`\$?-?\d[\d,]*(?:\.\d+)?(?:/\d+)?%?|\(?[A-F]\)?(?![\p{L}\d'’])|\([a-f]\)|\b[a-f](?=[.,;"”']|$)|[Yy]es\b|[Nn]o\b`;
const statement = new RegExp(
  String.raw`\b(?:answer|result|solution)\b[^.!?\n]{0,60}?(?:\bis\b|\bwas\b|\bbe\b|\bto be\b|=|:)[^.!?\n\d]{0,40}?(?:\boption\s+)?["“'*]*(${value})`,
  'gu',
);
const belief = new RegExp(
  String.raw`\b(?:I think|I believe|I'm (?:fairly |pretty |quite )?(?:sure|certain)|I am (?:fairly |pretty |quite )?(?:sure|certain)|I got|we got|should come out as|comes out (?:as|at))\b[^.!?\n\d]{0,40}?["“'*]*(${value})`,
  'gu',
);
/** Any other answer: a name, a phrase, a formula. It begins with a capital, a figure or a sign, as remarks do not. */
const phrase =
  /\b(?:answer|result|solution)\b[^.!?\n]{0,40}?\b(?:is|was|should be|must be)\b:?\s*["“']?(?=[\p{Lu}\d\\$(-])([^\n"”]{1,120}?)["”']?[.!]?\s*$/u;
/** Sentences about the form of the answer state none ("end with: The answer is 42."). */
const instruction =
  /\b(?:format|form|end with|finish with|conclude with|write|respond|reply|example|e\.g\.|for instance|such as|where N|placeholder)\b/i;

/**
 * The answer that a prompt states before any reasoning (preemptive answer attack; ATTACKS.md, section 2).
 *
 * @param query - the user's turn without demonstrations
 * @param question - the known question in it, if any: its own words state nothing, and the statement is read as an
 *   answer of its kind
 */
export function findPlantedAnswer(query: string, question: Question | undefined): string | undefined {
  const own = readWords(question?.question ?? '').join(' ');
  const isFree = question !== undefined && !isShort(question);
  for (const sentence of query.split(/(?<=[.!?])\s+|\n+/)) {
    if (instruction.test(sentence) || own.includes(readWords(sentence).join(' '))) continue;
    const [match] = [...sentence.matchAll(statement), ...sentence.matchAll(belief)];
    const short = match?.[1] === undefined ? undefined : tidy(match[1]);
    const free = phrase.exec(sentence)?.[1]?.trim();
    const stated = isFree ? (free ?? short) : (short ?? free);
    if (stated !== undefined) return stated;
  }
  return undefined;
}

/** Whether a question is answered with an option, yes or no, or a number. */
function isShort({ choices, answer }: Question): boolean {
  return choices !== undefined || /^(?:yes|no)$/.test(answer) || Number.isFinite(readNumber(answer));
}

function tidy(stated: string): string {
  return stated.replace(/[()$,%]/g, '').replace(/^(?:yes|no)$/i, (word) => word.toLowerCase());
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
