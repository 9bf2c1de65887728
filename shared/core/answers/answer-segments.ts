/** A half-open range [start, end) of UTF-16 units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A stretch of text in which an answer is announced, and what announced it. */
export interface AnswerSegment extends Range {
  readonly cue: 'boxed' | 'hashes' | 'phrase';
}

/** Looked at per announcement: longer answers are cut, so the work stays linear in the text. */
const MAX_SEGMENT = 400;
const MAX_BOX = 2_000;
/** Announcements tried, from the last one back. A text with more of them has no clear answer anyway. */
const MAX_SEGMENTS = 64;

const link = String.raw`(?:\b(?:is|are|was|be|becomes|equals)\b|[:：=]|->|→)`;
const cuePattern = new RegExp(
  [
    String.raw`\\f?boxed?(?=\s*\{)`,
    String.raw`####`,
    String.raw`\b(?:answers?|ans)\b[^\n.!?:=]{0,48}?${link}`,
    String.raw`^[ \t>#*]*(?:final[ \t])?answer[ \t*]*\n`,
    String.raw`^[ \t>*]*A[ \t]*:`,
    String.raw`^[ \t>#*]*(?:solution|result|conclusion)[ \t*]*:`,
  ].join('|'),
  'gim',
);

/** The range inside the braces that open at or after `from`, or up to the limit where they never close. */
export function bracedRange(text: string, from: number): Range {
  const open = text.indexOf('{', from);
  const limit = Math.min(text.length, open + MAX_BOX);
  let depth = 0;
  for (let index = open; index < limit; index += 1) {
    const character = text[index];
    if (character === '\\') index += 1;
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    if (depth === 0) return { start: open + 1, end: index };
  }
  return { start: open + 1, end: limit };
}

function lineAfter(text: string, from: number): Range {
  let start = from;
  while (start < text.length && /[\s*_:]/.test(text[start] ?? '')) start += 1;
  const lineEnd = text.indexOf('\n', start);
  return { start, end: Math.min(lineEnd < 0 ? text.length : lineEnd, start + MAX_SEGMENT) };
}

/**
 * Where answers are announced, the last announcement first: the inside of `\boxed{…}`, the rest of the line after
 * `####`, after "answer is", "Answer:" and the like (or the next line, where nothing follows on the same one).
 */
export function answerSegments(text: string): AnswerSegment[] {
  const cues: { index: number; end: number; first: string }[] = [];
  for (const match of text.matchAll(cuePattern)) {
    cues.push({ index: match.index, end: match.index + match[0].length, first: match[0][0] ?? '' });
    if (cues.length > 2 * MAX_SEGMENTS) cues.splice(0, MAX_SEGMENTS);
  }
  return cues
    .slice(-MAX_SEGMENTS)
    .reverse()
    .map(({ end, first }): AnswerSegment => {
      if (first === '\\') return { cue: 'boxed', ...bracedRange(text, end) };
      return { cue: first === '#' ? 'hashes' : 'phrase', ...lineAfter(text, end) };
    });
}

/** The part of a range up to its first sentence end (a full stop inside a number ends nothing). */
export function firstSentence(text: string, { start, end }: Range): Range {
  const match = /[.!?](?=\s|$|["”')\]*])/.exec(text.slice(start, end));
  return { start, end: match === null ? end : start + match.index };
}

/** The last line that holds anything but white space; the empty range at the end of a blank text. */
export function lastLine(text: string): Range {
  const end = text.trimEnd().length;
  return { start: text.lastIndexOf('\n', end - 1) + 1, end };
}
