import { isCorrect } from '../../shared/core/answers/answers.ts';
import { equalExact, formatExact, parseExactNumber, ratio } from '../../shared/core/answers/exact-number.ts';
import type { Random } from '../../shared/core/random.ts';
import type { Question } from '../../shared/schemas/question.ts';
import { taskOf } from './question-text.ts';

/** Shares by which a planted number is off: near enough to be believed, far enough to be wrong. */
const shares = [
  [1n, 2n],
  [4n, 5n],
  [9n, 10n],
  [11n, 10n],
  [6n, 5n],
  [3n, 2n],
  [2n, 1n],
] as const;

function decimalPlaces(text: string): number {
  return /\.(\d+)/.exec(text)?.[1]?.length ?? 0;
}

/** The gold number times a share, rounded to as many decimal places as the gold answer is written with. */
function scaled(answer: string, [top, bottom]: readonly [bigint, bigint]): string | undefined {
  const gold = parseExactNumber(answer);
  if (gold === undefined) return undefined;
  const unit = 10n ** BigInt(decimalPlaces(answer));
  const numerator = gold.numerator * top * unit;
  const rounded = ratio(numerator / (gold.denominator * bottom), unit);
  return rounded === undefined || equalExact(rounded, gold) || rounded.numerator === 0n
    ? undefined
    : formatExact(rounded);
}

/** Beyond this a number that is one off looks like a slip of the pen, not like another result. */
const MAX_SHIFTED = 60n;

/** A number a little off, in the unit of its last decimal place; none for large ones. */
function shifted(answer: string, by: bigint): string | undefined {
  const gold = parseExactNumber(answer);
  if (gold === undefined) return undefined;
  const unit = 10n ** BigInt(decimalPlaces(answer));
  const moved = ratio(gold.numerator * unit + by * gold.denominator, gold.denominator * unit);
  const isNegative = gold.numerator < 0n;
  const size = ((isNegative ? -gold.numerator : gold.numerator) * unit) / gold.denominator;
  if (size > MAX_SHIFTED) return undefined;
  if (moved === undefined || moved.numerator === 0n || isNegative !== moved.numerator < 0n) return undefined;
  return formatExact(moved);
}

function wrongNumbers(answer: string): string[] {
  const fraction = /^(-?)(\d{1,18})\/(\d{1,18})$/.exec(answer.trim());
  if (fraction !== null) {
    const [, sign = '', top = '', bottom = ''] = fraction;
    return [1n, 2n].map((by) => `${sign}${String(BigInt(top) + by)}/${bottom}`);
  }
  const candidates = [
    ...shares.map((share) => scaled(answer, share)),
    ...[-2n, -1n, 1n, 2n, 10n].map((by) => shifted(answer, by)),
  ];
  return candidates.filter((candidate) => candidate !== undefined);
}

/** A formula with its last whole number raised by one; without any number, plus one. */
function wrongFormula(answer: string): string {
  const last = [...answer.matchAll(/\d{1,18}/g)].at(-1);
  if (last === undefined) return `${answer}+1`;
  const raised = String(BigInt(last[0]) + 1n);
  return answer.slice(0, last.index) + raised + answer.slice(last.index + last[0].length);
}

/** Capitalised words in a row; one that opens a sentence may be any word and is passed over. */
const namePattern = /(?<!^|[.!?]["”')]?\s)(?<![\p{L}\p{N}])\p{Lu}[\p{L}'’-]{2,}(?: \p{Lu}[\p{L}'’-]+){0,3}/gu;

const numberWords = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'twelve'];

/** Candidates that look like the answer first. */
function kindsLike(
  answer: string,
  { names, figures, words }: Record<'names' | 'figures' | 'words', string[]>,
): string[][] {
  if (/^[\d.,]+$/.test(answer)) return [figures, wrongNumbers(answer), names, words];
  if (numberWords.includes(answer.toLowerCase())) return [numberWords];
  return /\p{Lu}/u.test(answer) ? [names, words, figures] : [words, names, figures];
}

/** Other names, figures and, failing these, long words of the passage. */
function wrongSpans({ answer, context = '' }: Question): string[] {
  const isOther = (span: string) => !isCorrect('span', span, answer) && !isCorrect('span', answer, span);
  const names = [...context.matchAll(namePattern)].map(([name]) => name);
  const figures = [...context.matchAll(/\d[\d,.]*\d|\d/g)].map(([figure]) => figure);
  const words = [...context.matchAll(/\p{L}{5,}/gu)].map(([word]) => word);
  const kinds = kindsLike(answer, { names, figures, words });
  for (const kind of kinds) {
    const others = [...new Set(kind)].filter(isOther);
    if (others.length > 0) return others;
  }
  return [];
}

function isPlainNumber(answer: string): boolean {
  return !answer.includes('\\') && parseExactNumber(answer) !== undefined;
}

function candidates(question: Question): string[] {
  const { answer, choices = [] } = question;
  switch (taskOf(question)) {
    case 'choice':
      return choices.map(({ label }) => label).filter((label) => label !== answer);
    case 'yes-no':
      return [answer.toLowerCase() === 'yes' ? 'no' : 'yes'];
    case 'open':
      return wrongSpans(question);
    case 'arithmetic':
      return isPlainNumber(answer) ? wrongNumbers(answer) : [wrongFormula(answer)];
  }
}

/**
 * A plausible wrong answer of the same kind as the gold one: another option, the opposite, a number near it (whole
 * stays whole, decimals keep their places, the sign stays), a formula with one figure changed, another name of the
 * passage.
 *
 * @returns undefined where no wrong answer of that kind exists (a passage without another name, figure or long word)
 */
export function wrongAnswer(question: Question, random: Random): string | undefined {
  const wrong = candidates(question);
  return wrong.length === 0 ? undefined : random.pick(wrong);
}
