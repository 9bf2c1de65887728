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

/** Long enough that `MIN_UNITS` of it are left without white space in a row. */
const HEAD_UNITS = 60;

function normalized(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}

class RepeatedStepState implements RuleState {
  private previous = '';
  private head = '';
  private channel: StepReading['channel'] = 'content';

  inspect(step: StepReading): Finding | undefined {
    const { previous, head, channel } = this;
    this.previous = step.text;
    this.head = normalized(step.text.slice(0, HEAD_UNITS)).slice(0, MIN_UNITS);
    this.channel = step.channel;
    // Nearly no step begins as the one before it does: only such a one is compared in full.
    if (this.head !== head || step.channel !== channel) return undefined;
    const said = normalized(step.text);
    const isRepeated = said.length >= MIN_UNITS && said === normalized(previous);
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
