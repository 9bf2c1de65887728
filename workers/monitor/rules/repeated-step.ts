import { quoteOf } from './quote.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';

/**
 * A step that says the step before it over again, word for word (3a Reasoning Loop): white space and case aside, and
 * at least `MIN_UNITS` long, since short steps ("Right.", "+ 3") may come twice. An answer may repeat the end of its
 * reasoning: only steps of one channel are compared.
 *
 * Measured (`npx tsx scripts/bench/rules-by-type.ts`, `rules-ablation.ts`): 133 of ReasonEval's 136 repeated steps; no
 * alarm on the 4,681 clean labelled chains and worked solutions, none on the 163 healthy traces.
 */
export const repeatedStepRule: Rule = {
  name: 'repeated-step',
  codes: ['3a'],
  begin: () => new RepeatedStepState(),
};

const MIN_UNITS = 20;

class RepeatedStepState implements RuleState {
  private previous = '';
  private channel: StepReading['channel'] = 'content';

  inspect(step: StepReading): Finding | undefined {
    const said = step.text.trim().replace(/\s+/g, ' ').toLowerCase();
    const isSame = said === this.previous && step.channel === this.channel;
    const isRepeated = isSame && said.length >= MIN_UNITS;
    this.previous = said;
    this.channel = step.channel;
    return isRepeated
      ? {
          errorType: '3a',
          confidence: 0.9,
          quote: quoteOf(step.text),
          explanation: 'The step repeats the one before it word for word.',
        }
      : undefined;
  }
}
