import { bytes, counts, floats, shorts } from './number-column.ts';
import { outcomeNames, type RunFacts } from './run-facts.ts';

/** The yes-or-no facts of a run: each has the bit of its place here. */
const bitNames = [
  'wrong',
  'hitLimit',
  'flagged',
  'blocked',
  'beforeAnswer',
  'crashRestart',
  'reused',
  'hasUsage',
  'hasLatency',
] as const;
type BitName = (typeof bitNames)[number];

/** The facts of every run of a sweep by place, in 27 bytes each. */
export class RunTable {
  /** 0: no run yet; else one more than the outcome's place in `outcomeNames`. */
  readonly #outcome = bytes();
  readonly #bits = shorts();
  readonly #reasoningTokens = counts();
  readonly #allTokens = counts();
  readonly #reasoningAtFlag = counts();
  readonly #allAtFlag = counts();
  readonly #usageReasoning = counts();
  readonly #latencyMs = floats();

  has(place: number): boolean {
    return this.#outcome.at(place) > 0;
  }

  set(place: number, facts: RunFacts): void {
    this.#outcome.set(place, outcomeNames.indexOf(facts.outcome) + 1);
    this.#bits.set(place, bitsOf(facts));
    this.#reasoningTokens.set(place, facts.reasoningTokens);
    this.#allTokens.set(place, facts.allTokens);
    this.#reasoningAtFlag.set(place, facts.reasoningAtFlag);
    this.#allAtFlag.set(place, facts.allAtFlag);
    this.#usageReasoning.set(place, facts.usageReasoningTokens ?? 0);
    this.#latencyMs.set(place, facts.latencyMs ?? 0);
  }

  /** @returns undefined when there is no run of this place yet */
  get(place: number): RunFacts | undefined {
    const outcome = outcomeNames[this.#outcome.at(place) - 1];
    if (outcome === undefined) return undefined;
    const bits = this.#bits.at(place);
    const is = (name: BitName) => (bits & (1 << bitNames.indexOf(name))) !== 0;
    return {
      outcome,
      wrong: is('wrong'),
      hitLimit: is('hitLimit'),
      flagged: is('flagged'),
      blocked: is('blocked'),
      beforeAnswer: is('beforeAnswer'),
      crashRestart: is('crashRestart'),
      reused: is('reused'),
      reasoningTokens: this.#reasoningTokens.at(place),
      allTokens: this.#allTokens.at(place),
      reasoningAtFlag: this.#reasoningAtFlag.at(place),
      allAtFlag: this.#allAtFlag.at(place),
      usageReasoningTokens: is('hasUsage') ? this.#usageReasoning.at(place) : undefined,
      latencyMs: is('hasLatency') ? this.#latencyMs.at(place) : undefined,
    };
  }
}

function bitsOf(facts: RunFacts): number {
  const set: Record<BitName, boolean> = {
    wrong: facts.wrong,
    hitLimit: facts.hitLimit,
    flagged: facts.flagged,
    blocked: facts.blocked,
    beforeAnswer: facts.beforeAnswer,
    crashRestart: facts.crashRestart,
    reused: facts.reused,
    hasUsage: facts.usageReasoningTokens !== undefined,
    hasLatency: facts.latencyMs !== undefined,
  };
  return bitNames.reduce((bits, name, place) => (set[name] ? bits | (1 << place) : bits), 0);
}
