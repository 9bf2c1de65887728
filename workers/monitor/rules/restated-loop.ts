import { NoveltyWindow } from './novelty-window.ts';
import { quoteOf } from './quote.ts';
import type { Finding, Policy, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';
import { isNumeral, mix } from './words.ts';

/**
 * A chain that goes on and says nothing new: near-duplicates, paraphrase, a cycle of steps with small changes
 * (3a Reasoning Loop). Measured as the share of word sequences in the last few hundred words that the chain has not
 * had before.
 *
 * Measured (`npx tsx scripts/bench/rules.ts`): 80 of 355 loops by this rule alone, no alarm on 163 healthy traces,
 * whose lowest share of new 4-word sequences is 0.28.
 */
export function createRestatedLoopRule(policy: Policy): Rule {
  return {
    name: 'restated-loop',
    codes: ['3a'],
    begin: () => new RestatedLoopState(policy),
  };
}

interface Floor {
  /** Words in a sequence. */
  readonly gram: 2 | 4;
  /** Sequences looked at. */
  readonly size: number;
  /** The lowest share of new sequences that healthy chains keep. */
  readonly share: number;
}

const floors: Readonly<Record<Policy, readonly Floor[]>> = {
  precise: [
    { gram: 4, size: 400, share: 0.25 },
    { gram: 2, size: 400, share: 0.05 },
  ],
  sensitive: [
    { gram: 4, size: 300, share: 0.35 },
    { gram: 2, size: 300, share: 0.08 },
  ],
};

class RestatedLoopState implements RuleState {
  private readonly windows: readonly { readonly floor: Floor; readonly novelty: NoveltyWindow }[];
  /** The last three words. */
  private before: readonly [number, number, number] = [0, 0, 0];

  constructor(policy: Policy) {
    this.windows = floors[policy].map((floor) => ({ floor, novelty: new NoveltyWindow(floor.size) }));
  }

  inspect(step: StepReading): Finding | undefined {
    let [third, second, first] = this.before;
    for (const word of step.words()) {
      const pair = mix(mix(SEED, first), word);
      const four = mix(mix(pair, second), third);
      // Rows of numbers repeat by nature: a grid of zeros restates nothing.
      const isRow = isNumeral(word) && isNumeral(first);
      if (!isRow) for (const { floor, novelty } of this.windows) novelty.push(floor.gram === 2 ? pair : four);
      [third, second, first] = [second, first, word];
    }
    this.before = [third, second, first];
    const stale = this.windows.find(({ floor, novelty }) => novelty.share() < floor.share);
    return stale === undefined ? undefined : describe(step, stale.floor, stale.novelty.share());
  }
}

const SEED = 0x2545f491;

function describe(step: StepReading, { gram, size }: Floor, share: number): Finding {
  return {
    errorType: '3a',
    confidence: 0.9,
    quote: quoteOf(step.text),
    explanation: `Only ${Math.round(100 * share)}% of the ${gram}-word sequences in the last ${size} words are new to this chain.`,
  };
}
