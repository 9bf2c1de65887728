import type { AnswerSpan } from './answer-span.ts';
import { answerSegments, firstSentence, lastLine, type Range } from './answer-segments.ts';

function trimmed(text: string, { start, end }: Range): AnswerSpan | undefined {
  const slice = text.slice(start, end);
  const lead = /^[\s"'“‘*_`:]*/.exec(slice)?.[0].length ?? 0;
  let stop = slice.length;
  while (stop > lead && /[\s"'”’*_`.,;:!?]/.test(slice[stop - 1] ?? '')) stop -= 1;
  return stop > lead ? { value: slice.slice(lead, stop), start: start + lead, end: start + stop } : undefined;
}

/** The rest of the announced line as far as its first sentence end, unless that is an initial or abbreviation. */
function announcedRange(text: string, segment: Range): Range {
  const sentence = firstSentence(text, segment);
  const isAbbreviated = /(?:^|[\s.(])(?:\p{Lu}|Dr|Mr|Mrs|Ms|St|No|Jr|Sr|vs|c)$/u.test(
    text.slice(sentence.start, sentence.end),
  );
  return isAbbreviated ? segment : sentence;
}

/** The words that a text gives as its answer: what follows the last announcement, else its last line. */
export function findFreeSpan(text: string): AnswerSpan | undefined {
  for (const segment of answerSegments(text)) {
    const found = trimmed(text, segment.cue === 'boxed' ? segment : announcedRange(text, segment));
    if (found !== undefined) return found;
  }
  return trimmed(text, lastLine(text));
}

/** SQuAD's normalisation: lower case, no punctuation, no articles, single spaces. */
function words(text: string): string[] {
  return text
    .toLowerCase()
    .normalize('NFKC')
    .replace(/(?<=\d),(?=\d{3})/g, '')
    .replace(/[^\p{L}\p{N}\s]+/gu, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !['a', 'an', 'the'].includes(word));
}

/** An answer that wraps the gold words in a sentence is right; a text that merely mentions them somewhere is not. */
const MAX_EXTRA_WORDS = 25;

/**
 * Whether an extracted span answers as the gold span does: equal after SQuAD's normalisation, or the gold words in a
 * row inside a sentence with at most 25 words more (models answer in sentences, where SQuAD's own systems copied).
 */
export function isSameSpan(extracted: string, gold: string): boolean {
  const [said, wanted] = [words(extracted), words(gold)];
  if (wanted.length === 0) return extracted.trim() === gold.trim();
  if (said.length > wanted.length + MAX_EXTRA_WORDS) return false;
  return ` ${said.join(' ')} `.includes(` ${wanted.join(' ')} `);
}
