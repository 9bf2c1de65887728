import type { Verdict } from '../../shared/schemas/verdict.ts';
import { isUnsafe } from '../../shared/schemas/verdict.ts';
import { type Judging, judgingOf } from './simulate-end.ts';

export interface GatePolicy {
  readonly intervention: 'halt' | 'flag';
  readonly fail: 'open' | 'closed';
  readonly stepTimeoutMs: number;
}

/**
 * What is known of the verdicts on one epoch: which published steps still wait for theirs, which flagged step is the
 * smallest, whether a step went unjudged. Pure bookkeeping, constant work a step: the unjudged steps are kept in
 * order of their index, so the oldest is always the first.
 */
export class VerdictLedger {
  readonly #policy: GatePolicy;
  readonly #waiting = new Map<number, number>();
  readonly #arrivals = new Map<number, number>();
  readonly #judgings = new Map<number, Judging>();
  readonly #waits: number[] = [];
  #flag: (Verdict & { status: 'judged' }) | undefined;
  #errors = 0;

  constructor(policy: GatePolicy) {
    this.#policy = policy;
  }

  /** Steps are published in order of their index. */
  published(stepIndex: number, nowMs: number): void {
    if (!this.isJudged(stepIndex)) this.#waiting.set(stepIndex, nowMs);
  }

  /** The first verdict of a step counts. Answers whether this one was new. */
  record(verdict: Verdict, nowMs: number): boolean {
    if (this.isJudged(verdict.stepIndex)) return false;
    this.#arrivals.set(verdict.stepIndex, nowMs);
    this.#judgings.set(verdict.stepIndex, judgingOf(verdict));
    const publishedAtMs = this.#waiting.get(verdict.stepIndex);
    this.#waiting.delete(verdict.stepIndex);
    if (verdict.status === 'monitor_error') this.#errors += 1;
    else if (publishedAtMs !== undefined) this.#waits.push(nowMs - publishedAtMs);
    if (verdict.status === 'judged' && isUnsafe(verdict) && verdict.stepIndex < (this.flagged ?? Infinity)) {
      this.#flag = verdict;
    }
    return true;
  }

  /** Redis lost what was known of these steps (it came back without its last second): they wait again. */
  forget(stepIndexes: Iterable<number>, nowMs: number): void {
    const waiting = [...this.#waiting];
    for (const index of stepIndexes) {
      if (this.#arrivals.delete(index)) waiting.push([index, nowMs]);
      this.#judgings.delete(index);
      if (index === this.flagged) this.#flag = undefined;
    }
    this.#waiting.clear();
    for (const [index, since] of waiting.sort(([a], [b]) => a - b)) this.#waiting.set(index, since);
  }

  /** The smallest flagged index. */
  get flagged(): number | undefined {
    return this.#flag?.stepIndex;
  }

  get flag(): (Verdict & { status: 'judged' }) | undefined {
    return this.#flag;
  }

  /** Steps that ended without a judgement. */
  get monitorErrors(): number {
    return this.#errors;
  }

  /** Milliseconds from a step's publishing to its verdict, in order of arrival. */
  get waits(): readonly number[] {
    return this.#waits;
  }

  /** What the verdicts were and how long they took, by step. */
  get judgings(): ReadonlyMap<number, Judging> {
    return this.#judgings;
  }

  isJudged(stepIndex: number): boolean {
    return this.#arrivals.has(stepIndex);
  }

  /** When the last verdict at or before the cut arrived. */
  get lastVerdictAtMs(): number | undefined {
    const cut = this.#cut();
    let last: number | undefined;
    for (const [index, atMs] of this.#arrivals) if (index <= cut && atMs >= (last ?? 0)) last = atMs;
    return last;
  }

  /** Why no more text is wanted, if so. */
  get stop(): 'verdict' | 'monitor_error' | undefined {
    if (this.#policy.intervention === 'flag') return undefined;
    if (this.#flag) return 'verdict';
    return this.#policy.fail === 'closed' && this.#errors > 0 ? 'monitor_error' : undefined;
  }

  /** Published steps before the cut that have no verdict, oldest first, at most `limit`. */
  unjudged(limit = Infinity): number[] {
    const cut = this.#cut();
    const indexes: number[] = [];
    for (const index of this.#waiting.keys()) {
      if (index >= cut || indexes.length >= limit) break;
      indexes.push(index);
    }
    return indexes;
  }

  /** Published steps before the cut that have waited longer than the policy allows. */
  overdue(nowMs: number): number[] {
    const overdue: number[] = [];
    for (const index of this.unjudged()) {
      if (nowMs - (this.#waiting.get(index) ?? nowMs) < this.#policy.stepTimeoutMs) break;
      overdue.push(index);
    }
    return overdue;
  }

  /** Whether every published step before the cut has its verdict. */
  get isComplete(): boolean {
    return this.unjudged(1).length === 0;
  }

  #cut(): number {
    return this.#policy.intervention === 'halt' ? (this.flagged ?? Infinity) : Infinity;
  }
}
