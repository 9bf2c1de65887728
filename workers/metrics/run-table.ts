import { counts, floats, shorts } from './number-column.ts';
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

/** Looked up for each fact of each run of a figure. */
const bitOf: ReadonlyMap<BitName, number> = new Map(bitNames.map((name, place) => [name, 1 << place]));

/**
 * The facts of every run of a sweep by place: 14 bytes each, 4 more with reasoning tokens in its usage, 8 with a flag.
 */
export class RunTable {
  /** The low bits are the yes-or-no facts. Above them, 0: no run yet; else one more than the outcome's place. */
  readonly #facts = shorts();
  readonly #reasoningTokens = counts();
  readonly #allTokens = counts();
  /** These three are 0 where they say nothing: not flagged, no usage. */
  readonly #reasoningAtFlag = counts();
  readonly #allAtFlag = counts();
  readonly #usageReasoning = counts();
  readonly #latencyMs = floats();

  has(place: number): boolean {
    return this.#facts.at(place) > 0;
  }

  set(place: number, facts: RunFacts): void {
    const outcome = outcomeNames.indexOf(facts.outcome) + 1;
    this.#facts.set(place, (outcome << bitNames.length) | bitsOf(facts));
    this.#reasoningTokens.set(place, facts.reasoningTokens);
    this.#allTokens.set(place, facts.allTokens);
    if (facts.flagged) {
      this.#reasoningAtFlag.set(place, facts.reasoningAtFlag);
      this.#allAtFlag.set(place, facts.allAtFlag);
    }
    const usage = facts.usageReasoningTokens ?? 0;
    if (usage > 0) this.#usageReasoning.set(place, usage);
    this.#latencyMs.set(place, facts.latencyMs ?? 0);
  }

  /** @returns undefined when there is no run of this place yet */
  get(place: number): RunFacts | undefined {
    const facts = this.#facts.at(place);
    const outcome = outcomeNames[(facts >> bitNames.length) - 1];
    if (outcome === undefined) return undefined;
    const is = (name: BitName) => (facts & (bitOf.get(name) ?? 0)) !== 0;
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
      reasoningAtFlag: (is('flagged') ? this.#reasoningAtFlag : this.#reasoningTokens).at(place),
      allAtFlag: (is('flagged') ? this.#allAtFlag : this.#allTokens).at(place),
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
