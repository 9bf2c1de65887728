import type { Random } from '../../shared/core/random.ts';
import type { Question } from '../../shared/schemas/question.ts';
import { findEquations, readNumber, withResult, writeNumber } from './arithmetic.ts';

/** A worked solution: sentences in order, without the answer line. */
export interface Solution {
  readonly steps: readonly string[];
  readonly answer: string;
}

/** Solves a known question from its file: its rationale in sentences, or a weighing of its options or passage. */
export function solveQuestion(question: Question, random: Random): Solution {
  const isPlain = question.choices === undefined;
  const steps = question.rationale === undefined ? [] : readRationale(question.rationale, isPlain);
  if (question.choices !== undefined) {
    return {
      steps: [...steps, ...weighChoices(question, random, steps.length === 0)],
      answer: question.answer,
    };
  }
  if (question.context !== undefined && steps.length === 0) {
    return { steps: quotePassage(question, question.context, random), answer: question.answer };
  }
  return {
    steps: steps.length === 0 ? [`From what is known, ${question.answer} fits.`] : steps,
    answer: question.answer,
  };
}

/** Sentences that a person would not write down as true are left out: files of options hold garbled sums. */
function readRationale(rationale: string, isPlain: boolean): string[] {
  return rationale
    .split(/\n+|(?<=[a-z)][.!?])\s+(?=[A-Z])/)
    .map((line) => withoutBoxes(line.replace(/<<[^>]*>>/g, '')).trim())
    .filter((line) => line.length > 3 && !/^(?:####|answer\b|the answer\b|hence\b.*\banswer\b)/i.test(line))
    .filter((line) => !/\banswer\s*(?::|is|=)/i.test(line))
    .filter((line) => findEquations(line).every((found) => found.holds))
    .filter((line) => isPlain || (hasPlainSigns(line) && !/\banswer\b/i.test(line)))
    .map((line) => (/[.!?:$)\]]$/.test(line) ? line : `${line}.`));
}

/** A box marks the answer, which comes last; within the steps its content stands bare. */
function withoutBoxes(line: string): string {
  const start = line.indexOf('\\boxed{');
  if (start < 0) return line;
  let depth = 0;
  for (let index = start + 6; index < line.length; index += 1) {
    if (line[index] === '{') depth += 1;
    if (line[index] === '}') depth -= 1;
    if (depth > 0) continue;
    return withoutBoxes(line.slice(0, start) + line.slice(start + 7, index) + line.slice(index + 1));
  }
  return line.slice(0, start) + line.slice(start + 7);
}

/** More equals signs than sums that were understood mean a garbled line ("1 / 3 = 2 / 7 = 1 / 21"). */
function hasPlainSigns(line: string): boolean {
  return !/\d\s*=\s*\d[^=]*=\s*\d/.test(line);
}

const reasonsAgainst = [
  'that does not fit what is asked',
  'it is possible, but nothing in the question points to it',
  'this is related, yet it answers something else',
  'I can set this aside, since the question is about another thing',
];

function weighChoices(question: Question, random: Random, inFull: boolean): string[] {
  const choices = question.choices ?? [];
  const right = choices.find((choice) => choice.label === question.answer);
  const conclusion = `So it is option ${question.answer}${right === undefined ? '' : `, ${right.text}`}.`;
  if (!inFull) return [conclusion];
  const others = random.shuffle(choices.filter((choice) => choice !== right)).slice(0, 3);
  const against = others.map(
    (choice) => `Option ${choice.label}, ${choice.text}: ${random.pick(reasonsAgainst)}.`,
  );
  const favour = `Option ${question.answer}, ${right?.text ?? question.answer}: this is what the question describes.`;
  return [...against, favour, conclusion];
}

function quotePassage(question: Question, context: string, random: Random): string[] {
  const sentence = context.split(/(?<=[.!?])\s+/).find((candidate) => candidate.includes(question.answer));
  if (sentence === undefined) return [`The passage leads to ${question.answer}.`];
  const opening = random.pick(['The passage says', 'The relevant sentence is', 'I find this in the text']);
  return [`${opening}: "${sentence.trim()}"`, `That answers the question directly: ${question.answer}.`];
}

/** A wrong answer of the same kind that a slip would give; undefined where the kind offers none (a quoted span). */
export function slipAnswer(question: Question, random: Random): string | undefined {
  const others = question.choices?.filter((choice) => choice.label !== question.answer) ?? [];
  if (others.length > 0) return random.pick(others).label;
  if (question.answer === 'yes') return 'no';
  if (question.answer === 'no') return 'yes';
  const value = readNumber(question.answer);
  if (!Number.isFinite(value)) return undefined;
  return writeNumber(value + random.pick([1, 2, 3, 10]) * (random.next() < 0.5 && value > 10 ? -1 : 1));
}

/** Bends a solution to another answer: the last sum gets it as its result, or the conclusion names it. */
export function bendSolution(solution: Solution, answer: string): Solution {
  const steps = [...solution.steps];
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const step = steps[index] ?? '';
    const last = findEquations(step).at(-1);
    if (last === undefined || !Number.isFinite(readNumber(answer))) continue;
    steps[index] = withResult(step, last, answer);
    return { steps: steps.slice(0, index + 1), answer };
  }
  const kept = steps.slice(0, Math.max(1, steps.length - 1));
  return { steps: [...kept, `Looking at it again, this points to ${answer}.`], answer };
}

/** What a model says about a question that it does not know: vague steps, and a guess built from the prompt. */
export function guessAnswer(text: string, random: Random): Solution {
  const option = [...text.matchAll(/\(([A-Fa-f])\)|(?:^|\n)\s*([A-Fa-f])[.)]\s/g)].map(
    (match) => match[1] ?? match[2],
  );
  const steps = [
    'Let me see what is given here.',
    'Not everything is spelled out, so I go by what seems most likely.',
  ];
  const labels = option.filter((label) => label !== undefined);
  if (labels.length > 1) return { steps, answer: random.pick(labels) };
  const numbers = (text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number).filter((value) => value < 1e6);
  if (numbers.length < 2) return { steps, answer: random.pick(['yes', 'no']) };
  const [first = 1, second = 1] = random.sample(numbers, 2);
  const sum = writeNumber(first + second);
  return { steps: [...steps, `Putting the figures together: ${first} + ${second} = ${sum}.`], answer: sum };
}
