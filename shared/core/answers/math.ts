import type { AnswerSpan } from './answer-span.ts';
import { answerSegments, firstSentence, lastLine, type Range } from './answer-segments.ts';
import { findNumber, isSameNumber } from './number.ts';
import { parseExactNumber } from './exact-number.ts';

/** Longer formulas are compared as they stand. */
const MAX_FORMULA = 1_000;

/** Without what wraps a formula: spaces, dollar signs, `\\(` and `\\)`, emphasis, a full stop. */
function trimmed(text: string, { start, end }: Range): AnswerSpan | undefined {
  let [from, to] = [start, end];
  for (let lead = 1; lead > 0 && from < to; from += lead) {
    lead = /^(?:[\s$:*]|\\[([])/.exec(text.slice(from, Math.min(to, from + 2)))?.[0].length ?? 0;
  }
  for (let tail = 1; tail > 0 && to > from; to -= tail) {
    tail = /(?:[\s$.,;*]|\\[)\]])$/.exec(text.slice(Math.max(from, to - 2), to))?.[0].length ?? 0;
  }
  return to > from ? { value: text.slice(from, to), start: from, end: to } : undefined;
}

/** Three words in a row are no formula, nor is what is longer than any. */
function isProse(text: string): boolean {
  return text.length > MAX_FORMULA || /(?:\p{L}{2,} +){2}\p{L}{2,}|^\S+ \p{L}{3,}/u.test(text);
}

function numberIn(text: string, range: Range): AnswerSpan | undefined {
  const found = findNumber(text.slice(range.start, range.end));
  return found && { ...found, start: range.start + found.start, end: range.start + found.end };
}

/**
 * In prose, the formula is the last thing between dollar signs, else what follows the last sign of equality. Of a
 * sentence without end only the last few formulas' length is searched.
 */
function formulaIn(text: string, { start: begin, end }: Range): AnswerSpan | undefined {
  const range = { start: Math.max(begin, end - 4 * MAX_FORMULA), end };
  const slice = text.slice(range.start, range.end);
  const formulas = [...slice.matchAll(/\$([^$]+)\$|\\\(([^\n]*?)\\\)/g)];
  const last = formulas.at(-1);
  if (last === undefined) return isProse(slice) ? numberIn(text, range) : trimmed(text, range);
  const start = range.start + last.index;
  return trimmed(text, { start, end: start + last[0].length });
}

/**
 * The formula that a text gives as its answer: the inside of the last `\boxed{…}`, else what follows the last
 * announcement, else the last formula of the last line.
 */
export function findFormula(text: string): AnswerSpan | undefined {
  const segments = answerSegments(text);
  for (const segment of [...segments.filter(({ cue }) => cue === 'boxed'), ...segments]) {
    const range = segment.cue === 'phrase' ? firstSentence(text, segment) : segment;
    const found = segment.cue === 'phrase' ? formulaIn(text, range) : trimmed(text, range);
    if (found !== undefined) return found;
  }
  const line = lastLine(text);
  return formulaIn(text, { start: Math.max(line.start, line.end - MAX_FORMULA), end: line.end });
}

/** One spelling for the many of LaTeX. Order matters: wrappers go before spaces, spaces before arguments. */
const rewrites: readonly (readonly [RegExp, string])[] = [
  [/\\\\\s*/g, ';;'],
  [/\\(?:left|right|big|Big|bigl|bigr|displaystyle|limits)(?![a-zA-Z])/g, ''],
  [/\\(?:text|textbf|mathrm|mathbf|mbox|textit|operatorname)\s*\{([^{}]*)\}/g, '$1'],
  [/\^\{?\\circ\}?|°|\\degree/g, ''],
  [/\\(?:[,;:! ]|quad|qquad)|~/g, ''],
  [/\\?\$|\\?%|\\\(|\\\)/g, ''],
  [/\\[dt]frac/g, '\\frac'],
  [/\\(?:cdot|times)(?![a-zA-Z])/g, '*'],
  [/\\le(?![a-zA-Z])/g, '\\leq'],
  [/\\ge(?![a-zA-Z])/g, '\\geq'],
  [/\{,\}/g, ','],
  [/(\d),(?=\d{3}(?!\d))/g, '$1'],
  [
    /(?<!\s)\s*(?:square |cubic )?(?:units?|inch(?:es)?|cm|feet|meters?|degrees?|dollars?|cents?|minutes?|hours?)(?:\^\{?[23]\}?)?$/g,
    '',
  ],
  [/\s+/g, ''],
  [/\\sqrt(\w)/g, '\\sqrt{$1}'],
  [/\\frac(\d)(\d)/g, '\\frac{$1}{$2}'],
  [/\\frac(\d)\{/g, '\\frac{$1}{'],
  [/\\frac\{([^{}]*)\}(\d)/g, '\\frac{$1}{$2}'],
  [/\\frac\{(-?\w+)\}\{(\w+)\}/g, '$1/$2'],
  [/^[a-zA-Z](?:\([a-zA-Z]\))?(?:=|\\in)/, ''],
  [/(^|[^\d])\.(?=\d)/g, '$10.'],
  [/\.$/, ''],
];

function normalisedFormula(text: string): string {
  if (text.length > MAX_FORMULA) return text;
  return rewrites.reduce((formula, [pattern, replacement]) => formula.replace(pattern, replacement), text);
}

function isSamePart(a: string, b: string): boolean {
  if (a === b || a.toLowerCase() === b.toLowerCase()) return true;
  return parseExactNumber(a) !== undefined && parseExactNumber(b) !== undefined && isSameNumber(a, b);
}

/** Splits at commas outside brackets: the elements of a list of solutions. */
function listParts(formula: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of formula) {
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
  }
  return parts;
}

/**
 * Whether two formulas are the same answer: equal after one spelling is chosen for spacing, fractions, roots, units
 * and wrappers, or equal as numbers. A bare list counts in any order; tuples and intervals keep theirs. It does no
 * algebra: `x+1` and `1+x` differ.
 */
export function isSameFormula(extracted: string, gold: string): boolean {
  const [a, b] = [normalisedFormula(extracted), normalisedFormula(gold)];
  if (isSamePart(a, b)) return true;
  const [said, wanted] = [listParts(a).sort(), listParts(b).sort()];
  if (wanted.length < 2 || said.length !== wanted.length) return false;
  return wanted.every((part, index) => isSamePart(said[index] ?? '', part));
}
