import type { Random } from '../../shared/core/random.ts';
import type { LoopKind } from './personality.ts';

/** What a loop keeps coming back to: pieces of the question. */
export interface LoopSubject {
  /** A clause of the question, without its full stop. */
  readonly clause: string;
  /** Its figures, else its longer words, quoted. */
  readonly items: readonly string[];
}

const openings = [
  'Wait, but',
  'But wait,',
  'Hmm, but',
  'Wait, maybe',
  'But hold on,',
  'Alternatively,',
  'Wait, no,',
  'But then again,',
  'Actually, wait,',
];
const doubts = [
  'I should check whether I read this part correctly',
  'the problem says something else about it',
  'this may not be what the question is asking for',
  'I am not sure that this value is the right one to use',
  'perhaps the order of the steps matters here',
  'the wording could also mean the opposite',
  'I have not used every piece of information yet',
];
const rereadings = [
  'Let me read it again:',
  'The problem states:',
  'Going back to the text:',
  'It says here:',
];
const considerations = [
  'If I take %n as it stands, I get the same thing as before.',
  'With something else in place of %n the result would be different.',
  'So %n has to be looked at once more before I go on.',
  'That would mean that %n is counted twice, or not at all.',
  'I used %n already, so it should be fine, unless it is not.',
];
const returns = [
  'Let me start over to be safe.',
  'So I need to consider this again.',
  'I should double-check that before giving an answer.',
  'Let me think about it once more.',
  'That does not settle it, though.',
];

/** Reads a subject out of a question; one without figures is worried about word by word. */
export function readSubject(question: string): LoopSubject {
  const clauses = question.split(/[.!?]\s+|[.!?]$|\n/).map((clause) => clause.trim());
  const clause = clauses
    .filter((text) => text.length > 10)
    .sort((left, right) => left.length - right.length)[0];
  const numbers = question.match(/\d+(?:\.\d+)?/g) ?? [];
  const words = (question.match(/\p{L}{5,}/gu) ?? ['question']).map((word) => `"${word}"`);
  return { clause: clause ?? 'what exactly is asked', items: numbers.length > 0 ? numbers : words };
}

/** One paragraph of several sentences, as a model that cannot stop writes them. */
function buildParagraph(subject: LoopSubject, random: Random): string {
  const consideration = random.pick(considerations).replace('%n', random.pick(subject.items));
  const sentences = [
    `${random.pick(openings)} ${random.pick(doubts)}.`,
    ...(random.next() < 0.6 ? [`${random.pick(rereadings)} "${subject.clause}".`] : []),
    consideration,
    ...(random.next() < 0.7 ? [random.pick(returns)] : []),
  ];
  return sentences.join(' ');
}

/**
 * Paragraphs without end. `exact`: one paragraph over and over; `periodic`: a cycle of 2 to 12 paragraphs;
 * `paraphrased`: the same few thoughts in ever other words, with no period.
 */
export function* loopForever(subject: LoopSubject, kind: LoopKind, random: Random): Generator<string, never> {
  const period = kind === 'exact' ? 1 : 2 + random.int(11);
  const cycle = Array.from({ length: period }, () => buildParagraph(subject, random));
  for (;;) {
    if (kind === 'paraphrased') yield buildParagraph(subject, random);
    else yield* cycle;
  }
}
