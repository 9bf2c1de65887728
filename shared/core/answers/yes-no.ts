import type { AnswerSpan } from './answer-span.ts';
import { answerSegments, lastLine, type Range } from './answer-segments.ts';

const meanings = new Map([
  ['yes', 'yes'],
  ['true', 'yes'],
  ['no', 'no'],
  ['false', 'no'],
]);
const wordPattern = /\b(?:yes|no|true|false)\b/gi;
/** "no" is also a determiner ("no animals"); in running text only these forms are answers. */
const answerForm = /(?:^|[.!?:,"'(*]\s*|\bso\s|\bis\s)(?:yes|no|true|false)(?=\s*(?:$|[.,!;:)"'*}\n]))/gi;

function toSpan(match: { index: number; 0: string }, start: number): AnswerSpan {
  const word = /(?<![a-z])[a-z]+$/i.exec(match[0])?.[0] ?? '';
  const from = start + match.index + match[0].length - word.length;
  return { value: meanings.get(word.toLowerCase()) ?? '', start: from, end: from + word.length };
}

function firstIn(text: string, range: Range): AnswerSpan | undefined {
  const match = text.slice(range.start, range.end).matchAll(wordPattern).next();
  return match.done === true ? undefined : toSpan(match.value, range.start);
}

function lastFormIn(text: string, range: Range): AnswerSpan | undefined {
  let last: AnswerSpan | undefined;
  for (const match of text.slice(range.start, range.end).matchAll(answerForm))
    last = toSpan(match, range.start);
  return last;
}

/**
 * `yes` or `no` ("true" and "false" count alike): the first such word after the last announcement, else the last one
 * in the form of an answer in the last line, else one that opens the text.
 */
export function findYesNo(text: string): AnswerSpan | undefined {
  for (const segment of answerSegments(text)) {
    const found = firstIn(text, segment);
    if (found !== undefined) return found;
  }
  const opening = /^[\s*_"'(]*(?:yes|no|true|false)\b/i.exec(text.slice(0, 200));
  return lastFormIn(text, lastLine(text)) ?? (opening === null ? undefined : toSpan(opening, 0));
}
