import type { Question } from '../../shared/schemas/question.ts';

/** How many words of a question's beginning are its key. */
const KEY_WORDS = 4;
/** Words that may stand inside a question in a prompt and not in the file (a trigger put in its middle). */
const FOREIGN_WORDS = 8;

interface Entry {
  readonly question: Question;
  readonly words: readonly string[];
}

/** A question found in a text, and where its words stand in it (word positions, end exclusive). */
export interface FoundQuestion {
  readonly question: Question;
  readonly startWord: number;
  readonly endWord: number;
}

export interface QuestionIndex {
  /** The known question of which most words stand in the text, in order; of equals the last. */
  find(text: string): FoundQuestion | undefined;
}

/** The words of a text, without case, punctuation and white space. */
export function readWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Indexes questions by their first words, so that a look-up costs one pass over the prompt, however many are known. */
export function createQuestionIndex(questions: readonly Question[]): QuestionIndex {
  const byKey = new Map<string, Entry[]>();
  for (const question of questions) {
    const words = readWords(question.question);
    const key = words.slice(0, KEY_WORDS).join(' ');
    if (key === '') continue;
    const entries = byKey.get(key);
    if (entries === undefined) byKey.set(key, [{ question, words }]);
    else entries.push({ question, words });
  }
  return { find: (text) => findQuestion(readWords(text), byKey) };
}

function findQuestion(
  words: readonly string[],
  byKey: ReadonlyMap<string, Entry[]>,
): FoundQuestion | undefined {
  let best: FoundQuestion | undefined;
  let bestLength = 0;
  for (let start = 0; start < words.length; start += 1) {
    for (let length = 1; length <= KEY_WORDS; length += 1) {
      for (const entry of byKey.get(words.slice(start, start + length).join(' ')) ?? []) {
        const end = matchWords(words, start, entry.words);
        if (end === undefined || entry.words.length < bestLength) continue;
        best = { question: entry.question, startWord: start, endWord: end };
        bestLength = entry.words.length;
      }
    }
  }
  return best;
}

/** Where the wanted words end in the text if they stand there in order with few others among them. */
function matchWords(words: readonly string[], start: number, wanted: readonly string[]): number | undefined {
  let position = start;
  let foreign = 0;
  for (const word of wanted) {
    while (words[position] !== word) {
      position += 1;
      foreign += 1;
      if (foreign > FOREIGN_WORDS || position >= words.length) return undefined;
    }
    position += 1;
  }
  return position;
}
