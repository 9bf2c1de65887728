import type { AnswerSpan, Choice } from './answer-span.ts';
import { answerSegments, firstSentence, lastLine, type Range } from './answer-segments.ts';

/** Where the options are unknown; "I" would be a pronoun. */
const defaultLabels = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];

/**
 * What may stand between the announcement and the letter: marks, `\text{`, "option", "Choice_" and the like. Marks are
 * bounded, for what follows may begin with marks as well.
 */
const lead = String.raw`[\s*_$:"'{\\\[]{0,80}(?:\\?(?:text|textbf|mathrm|mathbf|boxed)\s*\{\s*)*(?:(?:the\s+)?(?:correct\s+)?(?:answer\s+(?:is\s+)?)?(?:option|choice|letter)s?[\s_\\:]*)?`;
const markedLetter = new RegExp(String.raw`^${lead}[(\[*"']{1,8}\s*([A-Za-z])\s*[)\]*"'.:]`, 'i');
const bareLetter = new RegExp(String.raw`^${lead}([A-Za-z])(?=\s*(?:$|[)\]}.,;:*\n"'\\-]))`, 'i');
const capitalLetter = new RegExp(String.raw`^${lead}([A-Z])(?=\s)`, 'i');
/** "Answer D", "Answer. A" and "option is c", and "D is the right choice", where no line begins with the answer. */
const letterAfterWord =
  /\b(?:answers?|ans|(?:option|choice) is)[\s.:_\\"'*([=-]{1,6}([A-Za-z])(?=[ \t]*(?:$|[)\].,;*\n"']))/gi;
const letterBeforeWord =
  /(?:^|[\s(*])([A-Za-z])[)*.]{0,3} is (?:the )?(?:correct |right |best )?(?:answer|choice|option)\b/gi;
/** "… makes 49 zeros . c", "hence b": a letter that closes the text on its own. */
const closingLetter = /(?:[.,;:?!)>]|\b(?:so|hence|thus|therefore))\s+\(?\s?([A-Za-z])[\s).]*$/i;
const namedLetter = /\b(?:option|choice)[\s_\\:]{0,6}\(?[ ]?([A-Za-z])\b(?!['’])/gi;
const parenthesised = /\( ?([A-Za-z]) ?\)/g;

/**
 * The letters that count as an answer: the labels, and the one after the last label (an attack that moves on to the
 * next letter can end there; no such answer is ever right).
 */
function spellings(choices: readonly Choice[] | undefined): Map<string, string> {
  const labels = choices?.map(({ label }) => label) ?? defaultLabels;
  const last = labels.at(-1) ?? 'E';
  const next = String.fromCharCode(last.charCodeAt(0) + 1);
  return new Map([...labels, next].map((label) => [label.toLowerCase(), label]));
}

function letterAt(
  match: RegExpExecArray | null,
  range: Range,
  labels: Map<string, string>,
): AnswerSpan | undefined {
  const letter = match?.[1];
  const value = letter === undefined ? undefined : labels.get(letter.toLowerCase());
  if (match === null || letter === undefined || value === undefined) return undefined;
  const start = range.start + match.index + match[0].lastIndexOf(letter);
  return { value, start, end: start + 1 };
}

/** In front of more words a small "a" is an article. */
function capital(found: AnswerSpan | undefined, text: string): AnswerSpan | undefined {
  return found !== undefined && /[A-Z]/.test(text[found.start] ?? '') ? found : undefined;
}

function normalised(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}./%-]+/gu, ' ')
    .replace(/\b(?:the|an?)\s/g, '')
    .replace(/^[\s.]+|(?<![\s.])[\s.]+$/g, '');
}

/** The option whose text the range holds, whole or at its start; undefined when two options fit equally well. */
function choiceByText(text: string, range: Range, choices: readonly Choice[]): AnswerSpan | undefined {
  const said = normalised(text.slice(range.start, range.end));
  if (said === '') return undefined;
  const wanted = choices.map((choice) => ({ choice, name: normalised(choice.text) }));
  const whole = wanted.filter(({ name }) => name === said);
  const begun = wanted.filter(({ name }) => name !== '' && `${said} `.startsWith(`${name} `));
  const inside = wanted.filter(({ name }) => name !== '' && ` ${said} `.includes(` ${name} `));
  const fitting = [whole, begun, inside].find((group) => group.length === 1)?.at(0);
  return fitting && { value: fitting.choice.label, ...range };
}

function announcedChoice(text: string, choices: readonly Choice[] | undefined): AnswerSpan | undefined {
  const labels = spellings(choices);
  for (const segment of answerSegments(text)) {
    const line = text.slice(segment.start, segment.end);
    const sentence = segment.cue === 'boxed' ? segment : firstSentence(text, segment);
    const found =
      letterAt(markedLetter.exec(line), segment, labels) ??
      letterAt(bareLetter.exec(line), segment, labels) ??
      (choices && choiceByText(text, sentence, choices)) ??
      capital(letterAt(capitalLetter.exec(line), segment, labels), text) ??
      lastLetter(text, sentence, labels);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The last letter of a range in one of the forms. */
function lastLetter(
  text: string,
  range: Range,
  labels: Map<string, string>,
  patterns: readonly RegExp[] = [namedLetter, parenthesised],
): AnswerSpan | undefined {
  const slice = text.slice(range.start, range.end);
  let last: AnswerSpan | undefined;
  for (const pattern of patterns) {
    for (const match of slice.matchAll(pattern)) {
      const found = letterAt(match, range, labels);
      if (found !== undefined && found.start > (last?.start ?? -1)) last = found;
    }
  }
  return last;
}

function later(a: AnswerSpan | undefined, b: AnswerSpan | undefined): AnswerSpan | undefined {
  return a === undefined || (b !== undefined && b.start > a.start) ? b : a;
}

const MAX_CLOSING = 40;

function closing(text: string, labels: Map<string, string>): AnswerSpan | undefined {
  const range = { start: Math.max(0, text.length - MAX_CLOSING), end: text.length };
  return letterAt(closingLetter.exec(text.slice(range.start)), range, labels);
}

/**
 * The option that a text gives as its answer, as a label spelled as in `choices` (without them: A to H).
 *
 * In order: the letter after the last announcement, or the option whose text stands there; a letter that closes the
 * text; the last "(B)" or "option B" of the last line; a line that is nothing but a letter; the option named in the
 * last line; the last "(B)" of the text.
 */
export function findChoice(text: string, choices?: readonly Choice[]): AnswerSpan | undefined {
  const labels = spellings(choices);
  const line = lastLine(text);
  const lineText = text.slice(line.start, line.end);
  return (
    later(
      announcedChoice(text, choices),
      lastLetter(text, { start: 0, end: text.length }, labels, [letterAfterWord, letterBeforeWord]),
    ) ??
    closing(text, labels) ??
    lastLetter(text, line, labels) ??
    letterAt(bareLetter.exec(lineText.slice(0, 40)), line, labels) ??
    (choices && lineText.length <= 1_000 ? choiceByText(text, line, choices) : undefined) ??
    lastLetter(text, { start: 0, end: text.length }, labels)
  );
}
