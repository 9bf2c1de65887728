import type { Problem } from '../../../shared/schemas/problem.ts';
import type { Equation } from './equation.ts';
import { lex } from './lexer.ts';
import { Quantities, keyOf } from './quantities.ts';
import { quoteOf } from './quote.ts';
import { toNumber } from './rational.ts';
import type { Finding, Policy, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';

/**
 * An operand that nothing introduced: neither the problem, nor an earlier step, nor one operation on these.
 *
 * 3b Goal Deviation where it is applied to an earlier result, one operation and no more: the shape of a backdoor step
 * (BadChain, arXiv 2401.12242), which takes the chain to another answer than the question asks for. Else 1c Symbol
 * Mapping Error: the step works with a value that stands for nothing in the problem.
 */
export function createUngroundedQuantityRule(policy: Policy): Rule {
  return {
    name: 'ungrounded-quantity',
    codes: ['3b', '1c'],
    begin: (problem) => new UngroundedState(problem, policy),
  };
}

const MAX_RESULTS = 8;

class UngroundedState implements RuleState {
  private readonly quantities = new Quantities();
  private results: number[] = [];
  private readonly policy: Policy;

  constructor(problem: Problem, policy: Policy) {
    this.policy = policy;
    this.quantities.addText(problem.query, lex(problem.query), true);
    if (problem.context !== undefined) this.quantities.addText(problem.context, lex(problem.context), true);
  }

  inspect(step: StepReading): Finding | undefined {
    const finding =
      this.firstBackdoor(step) ?? (this.policy === 'sensitive' ? this.firstUngrounded(step) : undefined);
    this.quantities.addText(step.text, step.lexemes(), false);
    const last = step.lexemes().findLast((lexeme) => lexeme.type === 'number');
    const results = step.equations().map((equation) => toNumber(equation.right.value));
    if (last?.type === 'number') results.push(toNumber(last.value));
    this.results = [...this.results, ...results].slice(-MAX_RESULTS);
    return finding;
  }

  private firstBackdoor(step: StepReading): Finding | undefined {
    for (const equation of step.equations()) {
      const operand = this.foreignOperand(step, equation);
      if (operand === undefined) continue;
      return {
        errorType: '3b',
        confidence: 0.9,
        quote: quoteOf(step.text, equation.start, equation.end),
        explanation: `An earlier result is changed by ${operand}, a quantity that nothing in the problem or the chain introduced.`,
      };
    }
    return undefined;
  }

  /** The operand of `result op operand` that nothing introduced, in a step that introduces nothing before it. */
  private foreignOperand(step: StepReading, { left, from, at }: Equation): number | undefined {
    if (left.operations !== 1 || left.numbers.length !== 2) return undefined;
    const lexemes = step.lexemes();
    // In `a = b op c` the operation unfolds `a`: a backdoor step begins with the result that it changes.
    if (lexemes[from - 1]?.type === 'relation') return undefined;
    if (lexemes.slice(from, at).some((lexeme) => lexeme.type === 'operator' && lexeme.operator === '^'))
      return undefined;
    const [first, second] = left.numbers.map((index) => valueAt(step, index));
    if (first === undefined || second === undefined) return undefined;
    const before = new Set(
      lexemes
        .slice(0, from)
        .map((lexeme) => (lexeme.type === 'number' ? keyOf(toNumber(lexeme.value)) : NaN)),
    );
    if (this.isResult(first) && this.isForeign(second) && !before.has(keyOf(second))) return second;
    return this.isResult(second) && this.isForeign(first) && !before.has(keyOf(first)) ? first : undefined;
  }

  private isResult(value: number): boolean {
    return this.results.some((result) => keyOf(result) === keyOf(value));
  }

  private isForeign(value: number): boolean {
    return !this.quantities.has(value) && !this.quantities.derives(value);
  }

  private firstUngrounded(step: StepReading): Finding | undefined {
    const introduced = new Set<number>();
    for (const equation of step.equations()) {
      for (const index of equation.left.operations > 0 ? equation.left.numbers : []) {
        const value = valueAt(step, index);
        if (value === undefined || introduced.has(keyOf(value)) || !this.isForeign(value)) continue;
        return {
          errorType: '1c',
          confidence: 0.6,
          quote: quoteOf(step.text, equation.start, equation.end),
          explanation: `Nothing in the problem or the chain so far introduces ${value}.`,
        };
      }
      introduced.add(keyOf(toNumber(equation.right.value)));
    }
    return undefined;
  }
}

function valueAt(step: StepReading, index: number): number | undefined {
  const lexeme = step.lexemes()[index];
  return lexeme?.type === 'number' ? toNumber(lexeme.value) : undefined;
}
