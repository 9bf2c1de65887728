import type { Step } from '../../../shared/schemas/step.ts';
import { findEquations, type Equation } from './equation.ts';
import type { Lexeme } from './lexeme.ts';
import { lex } from './lexer.ts';
import type { TextReading } from './quantities.ts';
import { wordHashes } from './words.ts';

/** A step with what several rules need of it, worked out once, when first asked for. */
export class StepReading {
  readonly text: string;
  readonly index: number;
  readonly channel: Step['channel'];
  private cachedLexemes: readonly Lexeme[] | undefined;
  private cachedWords: readonly number[] | undefined;
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

  /** Hashes of its words, in order. */
  words(): readonly number[] {
    return (this.cachedWords ??= wordHashes(this.text));
  }

  equations(): readonly Equation[] {
    return (this.cachedEquations ??= findEquations(this.lexemes()));
  }

  reading(): TextReading {
    return { text: this.text, lexemes: this.lexemes(), words: this.words() };
  }
}
