import type { Problem } from '../../../shared/schemas/problem.ts';
import type { Equation } from './equation.ts';
import type { Lexeme } from './lexeme.ts';
import { Quantities, keyOf, readText } from './quantities.ts';
import { quoteOf } from './quote.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';

/**
 * An operand that nothing introduced: neither the problem, nor an earlier step, nor one operation on these (1c Symbol
 * Mapping Error: the step works with a value that stands for nothing in the problem). Of the `sensitive` policy only:
 * people bring along more than lists of constants hold.
 *
 * Measured (`npx tsx scripts/bench/calibrate-rules.ts`): alone, 269 of 535 first alarms of known truth are at the labelled
 * step.
 */
export const ungroundedQuantityRule: Rule = {
  name: 'ungrounded-quantity',
  codes: ['1c'],
  begin: (problem) => new UngroundedState(problem),
};

class UngroundedState implements RuleState {
  private readonly quantities = new Quantities();

  constructor({ query, context }: Problem) {
    for (const text of context === undefined ? [query] : [query, context])
      this.quantities.addText(readText(text), true);
  }

  inspect(step: StepReading): Finding | undefined {
    const finding = step.channel === 'reasoning' ? undefined : this.firstUngrounded(step);
    this.quantities.addText(step.reading(), false);
    return finding;
  }

  private firstUngrounded(step: StepReading): Finding | undefined {
    const lexemes = step.lexemes();
    const introduced = new Set<number>();
    let read = 0;
    for (const equation of step.equations()) {
      for (; read < equation.from; read += 1) addNumber(introduced, lexemes[read]);
      const foreign =
        equation.left.operations > 0 ? this.foreignOperand(lexemes, equation, introduced) : undefined;
      if (foreign !== undefined) return describe(step, equation, foreign);
    }
    return undefined;
  }

  private foreignOperand(
    lexemes: readonly Lexeme[],
    { left }: Equation,
    introduced: ReadonlySet<number>,
  ): number | undefined {
    for (const index of left.numbers) {
      const lexeme = lexemes[index];
      const value = lexeme?.type === 'number' ? lexeme.size : 0;
      if (introduced.has(keyOf(value)) || this.quantities.has(value) || this.quantities.derives(value))
        continue;
      return value;
    }
    return undefined;
  }
}

function describe(step: StepReading, equation: Equation, operand: number): Finding {
  return {
    errorType: '1c',
    confidence: 0.6,
    quote: quoteOf(step.text, equation.start, equation.end),
    explanation: `Nothing in the problem or the chain so far introduces ${operand}.`,
  };
}

function addNumber(numbers: Set<number>, lexeme: Lexeme | undefined): void {
  if (lexeme?.type === 'number') numbers.add(keyOf(lexeme.size));
}
