import type { AnswerSpan } from './answer-span.ts';
import { answerSegments, firstSentence, type Range } from './answer-segments.ts';
import { formatExact, isClose, multiplyExact, parseExactNumber } from './exact-number.ts';

interface FoundNumber extends Range {
  readonly value: string;
}

const digits = String.raw`\d+(?:(?:,|\{,\}|,\\!)\d{3}(?!\d))*(?:\.\d+)?`;
const numberPattern = new RegExp(
  [
    String.raw`[$€£¥₹]\d{1,3}(?: \d{3})+(?!\d)`,
    String.raw`[-−]?\\[dt]?frac\s?\{-?\d{1,30}\}\s?\{-?\d{1,30}\}`,
    String.raw`(?<![\w.)\]}][ ]?)[-−]?\d{1,9} \d{1,9}\/\d{1,9}(?!\w|\.\d)`,
    String.raw`(?:(?<![\w.)\]}%])[-−])?(?:\\?[$€£¥₹])?[-−]?(?:${digits}|(?<![\w.])\.\d+)(?:e[-+]?\d{1,3}(?!\w)|\/\d+(?![\w\/]|\.\d))?(?:\s?\\?%)?`,
  ].join('|'),
  'g',
);

/**
 * The first or last number of a range that stands for a quantity: none inside a word ("s2"), an exponent or an index.
 * Only what is looked at is parsed.
 */
function numberIn(text: string, { start, end }: Range, choose: 'first' | 'last'): FoundNumber | undefined {
  const matches = text.slice(start, end).matchAll(numberPattern);
  for (const match of choose === 'first' ? matches : [...matches].reverse()) {
    const from = start + match.index;
    const value = /(?:\p{L}|[\^_]\{?)$/u.test(text.slice(Math.max(0, from - 2), from))
      ? undefined
      : canonical(match[0]);
    if (value !== undefined) return { value, start: from, end: from + match[0].length };
  }
  return undefined;
}

function canonical(raw: string): string | undefined {
  const value = parseExactNumber(raw);
  if (value === undefined) return undefined;
  return formatExact(value) + (raw.endsWith('%') ? '%' : '');
}

/** Where an equation stands in the range, what its last sign of equality gives; else the first or the last number. */
function valueIn(text: string, range: Range, choose: 'first' | 'last'): FoundNumber | undefined {
  const slice = text.slice(range.start, range.end);
  const equals = Math.max(slice.lastIndexOf('='), slice.lastIndexOf('≈'), slice.lastIndexOf('\\approx'));
  if (equals >= 0) {
    const result = numberIn(text, { start: range.start + equals, end: range.end }, 'first');
    if (result !== undefined) return result;
  }
  return numberIn(text, range, choose);
}

function announcedNumber(text: string): FoundNumber | undefined {
  for (const segment of answerSegments(text)) {
    const sentence = segment.cue === 'boxed' ? segment : firstSentence(text, segment);
    const value = valueIn(text, sentence, 'first') ?? valueIn(text, segment, 'first');
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The last line that holds a number decides. Each line is read once, so the work stays linear. */
function concludingNumber(text: string): FoundNumber | undefined {
  let end = text.length;
  while (end > 0) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const value = valueIn(text, { start, end }, 'last');
    if (value !== undefined) return value;
    end = start - 1;
  }
  return undefined;
}

/**
 * The number that a text gives as its answer: the last announced one ("answer is", "Answer:", `####`, `\boxed{…}`),
 * else the conclusion of the last line that holds a number. Signs, thousands separators, fractions, currency and
 * units are read; the value is exact ("1234.5", "3/4") and keeps a percent sign.
 */
export function findNumber(text: string): AnswerSpan | undefined {
  return announcedNumber(text) ?? concludingNumber(text);
}

/** Whether two numbers are the same to one part in 100,000; "12%" equals 12 and 0.12. */
export function isSameNumber(extracted: string, gold: string): boolean {
  const [a, b] = [parseExactNumber(extracted), parseExactNumber(gold)];
  if (a === undefined || b === undefined) return extracted.trim() === gold.trim();
  if (isClose(a, b, 1e-5)) return true;
  const hundredth = { numerator: 1n, denominator: 100n };
  if (extracted.endsWith('%') === gold.endsWith('%')) return false;
  return extracted.endsWith('%')
    ? isClose(multiplyExact(a, hundredth), b, 1e-5)
    : isClose(a, multiplyExact(b, hundredth), 1e-5);
}
