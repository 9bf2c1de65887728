import type { Step } from '../../../shared/schemas/step.ts';
import { findEquations, type Equation } from './equation.ts';
import type { Lexeme } from './lexeme.ts';
import { lex } from './lexer.ts';

/** A step with what several rules need of it, worked out once, when first asked for. */
export class StepReading {
  readonly text: string;
  readonly index: number;
  readonly channel: Step['channel'];
  private cachedLexemes: readonly Lexeme[] | undefined;
  private cachedEquations: readonly Equation[] | undefined;

  constructor(step: Step) {
    this.text = step.text;
    this.index = step.index;
    this.channel = step.channel;
  }

  lexemes(): readonly Lexeme[] {
    return (this.cachedLexemes ??= lex(this.text));
  }

  equations(): readonly Equation[] {
    return (this.cachedEquations ??= findEquations(this.lexemes()));
  }
}
