import { isNumeral, wordHashes } from './words.ts';

/** Of ordinary English: two dozen words without any of them are of another language. */
const common = new Set(
  wordHashes(
    'the and for are was were that then this these those there with from which when what where who how have has had ' +
      'not but all any each every both one two per than now let get gets got give gives given its his her their they ' +
      'our your you she him them can could will would should must may might does did done find first second next last ' +
      'final finally after before total sum number answer step so since because therefore thus hence also only just ' +
      'more less most same equal equals means make makes takes left right over under into out is of to in we it if by',
  ),
);
const MIN_WORDS = 24;
/** A word of another script: formulas have single Greek letters. */
const otherScript = /(?:[^\P{L}\p{Script=Latin}]){3}/u;

/**
 * Whether a chain is written in a language that rules of words (`if`, `about`, `remainder`) cannot read. Settled by its
 * first English word, or by two dozen without one; before that the script decides.
 */
export class ChainLanguage {
  private words = 0;
  private isEnglish = false;

  read(words: readonly number[]): void {
    if (this.isEnglish || this.words >= MIN_WORDS) return;
    for (const word of words) {
      if (isNumeral(word)) continue;
      this.words += 1;
      if (common.has(word)) this.isEnglish = true;
    }
  }

  /** Asked after the step was read; of the words around what is judged. */
  isForeign(words: string): boolean {
    return (!this.isEnglish && this.words >= MIN_WORDS) || otherScript.test(words);
  }
}
