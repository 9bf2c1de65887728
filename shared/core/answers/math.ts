import type { AnswerSpan } from './answer-span.ts';
import { answerSegments, firstSentence, lastLine, type Range } from './answer-segments.ts';
import { findNumber, isSameNumber } from './number.ts';
import { parseExactNumber } from './exact-number.ts';
import { isSameValue } from './same-value.ts';

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

/** A tuple at the end, or a root that a number alone would lose: what prose states without dollar signs. */
const unmarked = /(?:\([^()\s,]{1,40}(?:,\s?[^()\s,]{1,40}){1,4}\)|-?\d{0,9}√\(?\d{1,9}\)?)/g;

function unmarkedIn(text: string, range: Range): AnswerSpan | undefined {
  const number = numberIn(text, range);
  const around = [...text.slice(range.start, range.end).matchAll(unmarked)]
    .map((match) => {
      const start = range.start + match.index;
      return { value: match[0], start, end: start + match[0].length };
    })
    .find(({ start, end }) => number === undefined || (start <= number.start && number.end <= end));
  return around ?? number;
}

/**
 * In prose, the formula is the last thing between dollar signs, else what follows the last sign of equality. Of a
 * sentence without end only the last few formulas' length is searched.
 */
function formulaIn(text: string, { start: begin, end }: Range): AnswerSpan | undefined {
  const range = { start: Math.max(begin, end - 4 * MAX_FORMULA), end };
  const slice = text.slice(range.start, range.end);
  const formulas = [...slice.matchAll(/\$([^$]+)\$|\\\(([^\n]*?)\\\)/g)];
  // What stands between two prices is none.
  const last = formulas.findLast(([, inner, bracketed = '']) => !isProse((inner ?? bracketed).trim()));
  if (last === undefined) return isProse(slice) ? unmarkedIn(text, range) : trimmed(text, range);
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

/** A bare word is compared as it stands: as a product of letters it would equal its anagrams. */
const isWord = (formula: string): boolean => /^[a-zA-Z]{2,}$/.test(formula);

function isSamePart(a: string, b: string): boolean {
  if (a === b || a.toLowerCase() === b.toLowerCase()) return true;
  if (parseExactNumber(a) !== undefined && parseExactNumber(b) !== undefined) return isSameNumber(a, b);
  const [ours, theirs] = [bracketed(a), bracketed(b)];
  if (ours !== undefined && theirs !== undefined) {
    if (ours.kind !== theirs.kind || ours.parts.length !== theirs.parts.length) return false;
    return ours.parts.every((part, place) => isSamePart(part, theirs.parts[place] ?? ''));
  }
  return !isWord(a) && !isWord(b) && isSameValue(a, b);
}

/** A tuple, an interval or a set: its brackets and the two or more parts between them. */
function bracketed(formula: string): { kind: string; parts: string[] } | undefined {
  const match = /^\\?([([{])(.*?)\\?([)\]}])$/.exec(formula);
  const parts = listParts(match?.[2] ?? '');
  return match && parts.length > 1 ? { kind: `${match[1] ?? ''}${match[3] ?? ''}`, parts } : undefined;
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

/** The two sides of an equation; undefined for anything else. */
function sidesOf(formula: string): [string, string] | undefined {
  const [left, right, ...more] = formula.split('=');
  return left && right && more.length === 0 ? [left, right] : undefined;
}

function isSameEquation(a: string, b: string): boolean {
  const [ours, theirs] = [sidesOf(a), sidesOf(b)];
  if (ours === undefined || theirs === undefined) return false;
  const [left, right] = ours;
  return [theirs, theirs.toReversed()].some(
    ([x = '', y = '']) => isSamePart(left, x) && isSamePart(right, y),
  );
}

/** Longer lists of solutions are compared as they stand: every part is held against every other. */
const MAX_LIST = 20;

/**
 * Whether two formulas are the same answer: equal after one spelling is chosen for spacing, fractions, roots, units
 * and wrappers, equal as numbers, or of the same value wherever their variables are put. A bare list counts in any
 * order; tuples and intervals keep theirs.
 */
export function isSameFormula(extracted: string, gold: string): boolean {
  const [a, b] = [normalisedFormula(extracted), normalisedFormula(gold)];
  if (isSamePart(a, b) || isSameEquation(a, b)) return true;
  if (!b.includes('=') && a.includes('=')) return isSameFormula(a.slice(a.lastIndexOf('=') + 1), b);
  const [said, wanted] = [listParts(a), listParts(b)];
  if (wanted.length < 2 || said.length !== wanted.length || wanted.length > MAX_LIST) return false;
  const left = [...said];
  return wanted.every((part) => {
    const place = left.findIndex((candidate) => isSamePart(candidate, part));
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}
