import { quoteOf } from './quote.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';

/**
 * Doubt without end: nearly every step of a long stretch begins by taking the one before it back (3a Reasoning Loop;
 * the aim of the Deadlock attack, arXiv 2510.15965). A healthy chain doubts too: only its density over many steps tells.
 *
 * Source: DESIGN "Monitors" (hesitation density).
 *
 * Parameters: `WINDOWS` below, steps and how many of them begin with a doubt; `opening`, in English and Chinese. A step is
 * looked at by its beginning alone, so doubt inside one long step is not seen.
 *
 * Measured (`npx tsx scripts/bench/loops.ts`): 20 of 20 chains of nothing but doubts, each in new words; no alarm on 163
 * healthy traces, where at most 23 of 30 steps doubt. In stuck traces it speaks thousands of characters before the
 * chain begins to repeat itself.
 */
export const hesitationRule: Rule = {
  name: 'hesitation',
  codes: ['3a'],
  begin: () => new HesitationState(),
};

const WINDOWS = [
  { steps: 20, hesitant: 19 },
  { steps: 30, hesitant: 26 },
] as const;
const LONGEST = 30;
const opening =
  /^[^\p{L}\p{N}]{0,12}(?:(?:but|and|or|so|no|oh|ok|okay|hmm+|well),?\s+)?(?:wait|hmm+|hold on|alternatively|maybe|perhaps|actually|but the)\b|^[^\p{L}\p{N}]{0,12}(?:等等|等一下|但是|不过|或者|嗯)/iu;

class HesitationState implements RuleState {
  /** One bit a step, the latest lowest. */
  private history = 0;
  private seen = 0;

  inspect(step: StepReading): Finding | undefined {
    const hesitates = opening.test(step.text.slice(0, 60));
    this.history = ((this.history << 1) | (hesitates ? 1 : 0)) & (2 ** LONGEST - 1);
    this.seen += 1;
    if (!hesitates) return undefined;
    const dense = WINDOWS.find(
      ({ steps, hesitant }) => this.seen >= steps && countBits(this.history & (2 ** steps - 1)) >= hesitant,
    );
    if (dense === undefined) return undefined;
    return {
      errorType: '3a',
      confidence: 0.85,
      quote: quoteOf(step.text),
      explanation: `At least ${dense.hesitant} of the last ${dense.steps} steps begin by doubting the one before.`,
    };
  }
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
