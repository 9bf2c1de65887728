import type { Step } from '../../../shared/schemas/step.ts';
import { findEquations, type Equation } from './equation.ts';
import type { Lexeme } from './lexeme.ts';
import { lex } from './lexer.ts';
import type { TextReading } from './quantities.ts';
import { hintsIn, type WordHint } from './word-hints.ts';
import { scanText, type TextScan } from './words.ts';

/** Words about an equation are looked for in so many units before and after it: the longest step of a live chain. */
export const NEAR_UNITS = 1_024;

/** A step with what several rules need of it, worked out once, when first asked for. */
export class StepReading {
  readonly text: string;
  readonly index: number;
  readonly channel: Step['channel'];
  private cachedLexemes: readonly Lexeme[] | undefined;
  private cachedScan: TextScan | undefined;
  private cachedHints: WordHint | undefined;
  private mentioned: Map<RegExp, readonly number[]> | undefined;
  private cachedEquations: readonly Equation[] | undefined;

  constructor(step: Step) {
    this.text = step.text;
    this.index = step.index;
    this.channel = step.channel;
  }

  /** What the reader of arithmetic sees; nothing in a text without a digit. */
  lexemes(): readonly Lexeme[] {
    return (this.cachedLexemes ??= /[\d½¼¾]/.test(this.text) ? lex(this.text) : []);
  }

  /** See `TextScan`. */
  marks(): readonly number[] {
    return this.scan().marks;
  }

  /** Hashes of its words, in order. */
  words(): readonly number[] {
    return this.scan().words;
  }

  /** Whether one of the words of a hint stands in the step. */
  hasHint(hint: WordHint): boolean {
    return ((this.cachedHints ??= hintsIn(this.words())) & hint) !== 0;
  }

  equations(): readonly Equation[] {
    return (this.cachedEquations ??= findEquations(this.lexemes()));
  }

  /**
   * Whether `pattern` (a global one) matches within `NEAR_UNITS` of a stretch of the text: anywhere in a step of usual
   * length. All its matches are found once, so that a step of any length costs linear time.
   */
  mentions(pattern: RegExp, start: number, end: number): boolean {
    let places = this.mentioned?.get(pattern);
    if (places === undefined) {
      places = Array.from(this.text.matchAll(pattern), ({ index }) => index);
      (this.mentioned ??= new Map()).set(pattern, places);
    }
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle] ?? 0) < start - NEAR_UNITS) low = middle + 1;
      else high = middle;
    }
    return (places[low] ?? Infinity) <= end + NEAR_UNITS;
  }

  private scan(): TextScan {
    return (this.cachedScan ??= scanText(this.text));
  }

  reading(): TextReading {
    return { text: this.text, lexemes: this.lexemes(), words: this.words() };
  }
}
