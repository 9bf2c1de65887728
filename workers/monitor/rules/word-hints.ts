import { wordHashes } from './words.ts';

/**
 * Which rules a step may concern, told by single words of it: one look at each word spares nearly every step the
 * patterns of nearly every rule. A hint is one bit.
 */
export type WordHint = number;

const hintsOfWords = new Map<number, WordHint>();
/** Nearly no word is one of them: one look into this table tells, where a map takes many. */
const mayHint = new Uint8Array(1 << 12);
let hintCount = 0;

/**
 * A hint that stands in a step when one of `words` does, in any case.
 * @throws when 31 hints are taken: they are made once, where rules are defined
 */
export function wordHint(words: string): WordHint {
  if (hintCount === 31) throw new Error('31 word hints are taken: two rules have to share one');
  const hint = 1 << hintCount;
  hintCount += 1;
  for (const hash of wordHashes(words)) {
    hintsOfWords.set(hash, (hintsOfWords.get(hash) ?? 0) | hint);
    mayHint[slotOf(hash)] = 1;
  }
  return hint;
}

/** All hints that stand among those words. */
export function hintsIn(words: readonly number[]): WordHint {
  let hints = 0;
  for (const word of words) if (mayHint[slotOf(word)] !== 0) hints |= hintsOfWords.get(word) ?? 0;
  return hints;
}

function slotOf(hash: number): number {
  return (hash >>> 1) & (mayHint.length - 1);
}
