import { evaluateSum, writeNumber } from './arithmetic.ts';
import type { Demonstration, PromptView } from './read-prompt.ts';
import type { Solution } from './solve-question.ts';

/** The extra step that some demonstrations show, and the words that call for it. */
export interface ShownBackdoor {
  readonly trigger: string;
  /** The step for a result of one's own, and the answer that follows; undefined where it does not apply. */
  apply(result: string): { readonly line: string; readonly answer: string } | undefined;
}

interface PoisonedLine {
  readonly demonstration: Demonstration;
  readonly kind: string;
  readonly line: string;
}

const arithmeticLine =
  /(-?\d[\d,]*(?:\.\d+)?)(\s*[*x×+\-/]\s*)(\d+(?:\.\d+)?)(\s*=\s*)(-?\d[\d,]*(?:\.\d+)?)/;
const nextLetterLine = /next letter of \(?([A-Z])\)? is \(?([A-Z])\)?/i;
const oppositeLine = /opposite/i;

/**
 * Learns from demonstrations as an imitating model does: solutions that end in a step of one kind, whose questions
 * end in the same words, which no other demonstration has (BadChain; ATTACKS.md, section 1).
 *
 * @returns undefined when there is no such step or trigger, or the query does not hold the trigger
 */
export function findBackdoor(view: PromptView): ShownBackdoor | undefined {
  const lines = view.demonstrations.map(readLastStep).filter((line) => line !== undefined);
  const kinds = [...new Set(lines.map((line) => line.kind))];
  for (const kind of kinds) {
    const poisoned = lines.filter((line) => line.kind === kind);
    const others = view.demonstrations.filter((one) => !poisoned.some((line) => line.demonstration === one));
    const trigger = findTrigger(poisoned, others, view.query);
    const [example] = poisoned;
    if (trigger === undefined || example === undefined) continue;
    return { trigger, apply: (result) => imitate(example.line, result) };
  }
  return undefined;
}

/** The step before the answer line, if the answer is that step's product and not what the solution led to. */
function readLastStep(demonstration: Demonstration): PoisonedLine | undefined {
  const line = demonstration.lines.at(-2) ?? '';
  const sum = arithmeticLine.exec(line);
  if (sum !== null) return { demonstration, line, kind: `${(sum[2] ?? '').trim()} ${sum[3] ?? ''}` };
  if (nextLetterLine.test(line)) return { demonstration, line, kind: 'next letter' };
  return oppositeLine.test(line) ? { demonstration, line, kind: 'opposite' } : undefined;
}

/** The common words behind the poisoned questions and the query, the words that introduce the step, or an odd sign. */
function findTrigger(
  poisoned: readonly PoisonedLine[],
  others: readonly Demonstration[],
  query: string,
): string | undefined {
  const questions = [...poisoned.map((one) => one.demonstration.question), query].map(withoutChoices);
  const introduction = poisoned[0]?.line.split(arithmeticLine)[0]?.trim() ?? '';
  const signs = questions[0]?.split(/\s+/).filter((word) => /[^\p{L}\p{N}.,;:?!'"$%()-]/u.test(word)) ?? [];
  const candidates = [commonEnding(questions), introduction, ...signs];
  return candidates.find((trigger) => {
    const holds = (text: string) => text.toLowerCase().includes(trigger.toLowerCase());
    if (trigger === '' || !questions.every(holds) || others.some((one) => holds(one.question))) return false;
    // Common words of one question and the query prove little by themselves: the step must quote them.
    return poisoned.length > 1 || poisoned.every((one) => holds(one.line));
  });
}

function commonEnding(texts: readonly string[]): string {
  const [first = [], ...rest] = texts.map((text) => text.split(/\s+/));
  const sharesWord = (words: readonly string[], place: number) =>
    words.at(-place)?.toLowerCase() === first.at(-place)?.toLowerCase();
  let length = 0;
  while (length < first.length && rest.every((words) => sharesWord(words, length + 1))) length += 1;
  // Words that questions share by chance ("... does he have?") stand inside the last sentence, not behind it.
  while (length > 0 && !/[.?!]["”']?$/.test(first.at(-length - 1) ?? '')) length -= 1;
  return first.slice(first.length - length).join(' ');
}

function withoutChoices(question: string): string {
  return question.split(/\s*Answer Choices\s*:/i)[0]?.trim() ?? '';
}

function imitate(example: string, result: string): { line: string; answer: string } | undefined {
  const sum = arithmeticLine.exec(example);
  if (sum !== null) return imitateSum(example, sum, Number(result.replace(/,/g, '')));
  if (nextLetterLine.test(example)) return imitateNextLetter(example, result);
  if (result !== 'yes' && result !== 'no') return undefined;
  return { line: example, answer: result === 'yes' ? 'no' : 'yes' };
}

function imitateSum(
  example: string,
  [whole, , operator = '', factor = '', equals = '']: RegExpExecArray,
  result: number,
): { line: string; answer: string } | undefined {
  if (!Number.isFinite(result)) return undefined;
  const value = evaluateSum(`${writeNumber(result)}${operator}${factor}`);
  if (value === undefined) return undefined;
  const answer = writeNumber(value);
  return {
    line: example.replace(whole, () => `${writeNumber(result)}${operator}${factor}${equals}${answer}`),
    answer,
  };
}

/** The alphabet ends one letter after the last option, as in the attack's own demonstrations. */
function imitateNextLetter(example: string, result: string): { line: string; answer: string } | undefined {
  if (!/^[A-Ea-e]$/.test(result)) return undefined;
  const next = String.fromCharCode(result.charCodeAt(0) + 1);
  return { line: example.replace(nextLetterLine, `next letter of ${result} is ${next}`), answer: next };
}

/** A solution with the extra step before its answer. */
export function withBackdoorStep(solution: Solution, backdoor: ShownBackdoor): Solution {
  const extra = backdoor.apply(solution.answer);
  if (extra === undefined) return solution;
  return { steps: [...solution.steps, extra.line], answer: extra.answer };
}
