import type { Problem } from '../../../shared/schemas/problem.ts';
import { lex } from './lexer.ts';
import { Quantities, keyOf } from './quantities.ts';
import { quoteOf } from './quote.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';

/**
 * A figure of the question that no step has used by the time of the answer (1b Missing Constraints): neither as it is,
 * nor in words, as a share, or as its complement. Options are no part of the question here. Of the `sensitive` policy
 * only: questions hold figures that answers rightly leave out, and the alarm comes with the answer, behind the step
 * that went wrong.
 *
 * Measured (`npx tsx scripts/bench/calibrate-rules.ts`): alone, 29 of 152 first alarms of known truth are at the labelled
 * step, and 529 behind it.
 */
export const missingConstraintRule: Rule = {
  name: 'missing-constraint',
  codes: ['1b'],
  begin: (problem) => new MissingConstraintState(problem),
};

const MAX_FIGURES = 24;
const answers = /\\boxed|####|\b(?:final )?answer\b ?(?:is|:|=)/i;
const firstOption = /(?:^|\s)\(?A[).:]\s/;

class MissingConstraintState implements RuleState {
  private readonly open = new Map<number, readonly number[]>();
  private readonly used = new Quantities([]);
  private isOver = false;

  constructor({ query }: Problem) {
    const options = firstOption.exec(query)?.index ?? query.length;
    for (const lexeme of lex(query.slice(0, options))) {
      if (lexeme.type !== 'number' || this.open.size >= MAX_FIGURES) continue;
      const share = lexeme.size / 100;
      const forms = lexeme.percent ? [share, 1 - share, 1 + share, 100 - lexeme.size, 100 + lexeme.size] : [];
      this.open.set(keyOf(lexeme.size), [lexeme.size, share, ...forms]);
    }
  }

  inspect(step: StepReading): Finding | undefined {
    if (this.isOver || this.open.size === 0) return undefined;
    this.used.addText(step.reading(), false);
    for (const [key, forms] of this.open)
      if (forms.some((form) => this.used.has(form))) this.open.delete(key);
    const span = answers.exec(step.text);
    if (span === null) return undefined;
    this.isOver = true;
    const [unused] = this.open.keys();
    return unused === undefined
      ? undefined
      : {
          errorType: '1b',
          confidence: 0.4,
          quote: quoteOf(step.text, span.index),
          explanation: `The question gives ${unused}, which no step up to the answer has used.`,
        };
  }
}
