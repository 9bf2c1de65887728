import { NoveltyWindow } from './novelty-window.ts';
import { quoteOf } from './quote.ts';
import type { Finding, Policy, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';
import { eachWord } from './words.ts';

/**
 * A chain that goes on and says nothing new: near-duplicates, paraphrase, a cycle of steps with small changes
 * (3a Reasoning Loop). Measured as the share of word sequences in the last few hundred words that the chain has not
 * had before.
 */
export function createRestatedLoopRule(policy: Policy): Rule {
  return {
    name: 'restated-loop',
    codes: ['3a'],
    begin: () => new RestatedLoopState(policy),
  };
}

interface Floor {
  readonly gram: number;
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

  constructor(policy: Policy) {
    this.windows = floors[policy].map((floor) => ({ floor, novelty: new NoveltyWindow(floor) }));
  }

  inspect(step: StepReading): Finding | undefined {
    eachWord(step.text, (hash) => {
      for (const { novelty } of this.windows) novelty.push(hash);
    });
    const stale = this.windows.find(({ floor, novelty }) => novelty.share() < floor.share);
    if (stale === undefined) return undefined;
    const share = Math.round(100 * stale.novelty.share());
    return {
      errorType: '3a',
      confidence: 0.9,
      quote: quoteOf(step.text),
      explanation: `Only ${share}% of the ${stale.floor.gram}-word sequences in the last ${stale.floor.size} words are new to this chain.`,
    };
  }
}
