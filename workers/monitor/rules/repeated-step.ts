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

function normalized(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Nearly no step has as many words as the one before, and the same at both ends: only such a one is compared in full. */
function isAlike(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a[0] === b[0] && a.at(-1) === b.at(-1);
}

class RepeatedStepState implements RuleState {
  private previous = '';
  private words: readonly number[] = [];
  private channel: StepReading['channel'] = 'content';

  inspect(step: StepReading): Finding | undefined {
    const { previous, words, channel } = this;
    this.previous = step.text;
    this.words = step.words();
    this.channel = step.channel;
    if (step.channel !== channel || !isAlike(step.words(), words)) return undefined;
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
