import { NoveltyWindow } from './novelty-window.ts';
import { quoteOf } from './quote.ts';
import type { Finding, Policy, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';
import { isNumeral, mix } from './words.ts';

/**
 * A chain that goes on and says nothing new (3a Reasoning Loop): near copies, paraphrase, sentences in ever new order.
 * Seen as the share of word sequences in the last few hundred words that the chain has not had before.
 *
 * Source: DESIGN "Monitors" (near-duplicate loops); most reported loops that never repeat exactly.
 *
 * Parameters: `floors` below, all lower than what healthy traces keep: their lowest share of new sequences of four words
 * is 0.37 of 400 and 0.45 of 800, of two words 0.12 of 400. With letters replaced by Han or Thai ones, which are read in
 * pieces instead of words, they keep 0.28, 0.38 and 0.10.
 *
 * Measured (`npx tsx scripts/bench/loops.ts`): all of the reported shapes that are no exact cycles, near copies (one word
 * in twelve changed) 15 of 20, in scripts with spaces 69 of 80, in scripts without 0 of 60: there a change spoils the
 * pieces around it. No alarm on 163 healthy traces under six transformations.
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
  /** A lower share of new sequences than healthy chains keep. */
  readonly share: number;
}

interface Floors {
  readonly fours: Floor;
  /** Copies in which a word here and there is another keep more that is new, but keep it for long. */
  readonly longFours: Floor;
  readonly pairs: Floor;
}

const floors: Readonly<Record<Policy, Floors>> = {
  precise: {
    fours: { gram: 4, size: 400, share: 0.25 },
    longFours: { gram: 4, size: 800, share: 0.36 },
    pairs: { gram: 2, size: 400, share: 0.05 },
  },
  sensitive: {
    fours: { gram: 4, size: 300, share: 0.35 },
    longFours: { gram: 4, size: 800, share: 0.4 },
    pairs: { gram: 2, size: 300, share: 0.08 },
  },
};

/** Words after which the windows are looked at, inside a step too: a step may be a whole chain. */
const LOOK_EVERY = 64;

class RestatedLoopState implements RuleState {
  private readonly fours: NoveltyWindow;
  private readonly pairs: NoveltyWindow;
  private readonly floors: Floors;
  /** The last three words. */
  private first = 0;
  private second = 0;
  private third = 0;

  constructor(policy: Policy) {
    this.floors = floors[policy];
    this.fours = new NoveltyWindow(this.floors.fours.size, this.floors.longFours.size);
    this.pairs = new NoveltyWindow(this.floors.pairs.size);
  }

  inspect(step: StepReading): Finding | undefined {
    const words = step.words();
    let finding: Finding | undefined;
    for (let from = 0; from < words.length; from += LOOK_EVERY) {
      this.take(words, from, Math.min(words.length, from + LOOK_EVERY));
      finding ??= this.findStale(step);
    }
    return finding;
  }

  private take(words: readonly number[], from: number, to: number): void {
    let { first, second, third } = this;
    for (let place = from; place < to; place += 1) {
      const word = words[place] ?? 0;
      const pair = mix(mix(SEED, first), word);
      // Rows of numbers repeat by nature: a grid of zeros restates nothing.
      if (!isNumeral(word) || !isNumeral(first)) {
        this.fours.push(mix(mix(pair, second), third));
        this.pairs.push(pair);
      }
      third = second;
      second = first;
      first = word;
    }
    this.first = first;
    this.second = second;
    this.third = third;
  }

  private findStale(step: StepReading): Finding | undefined {
    const { fours, longFours, pairs } = this.floors;
    if (this.fours.share() < fours.share) return describe(step, fours, this.fours.share());
    if (this.fours.longShare() < longFours.share) return describe(step, longFours, this.fours.longShare());
    return this.pairs.share() < pairs.share ? describe(step, pairs, this.pairs.share()) : undefined;
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
