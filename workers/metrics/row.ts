import { type FlagType, flagTypeOf } from '../../shared/core/signatures/flag-types.ts';
import type { Arm } from '../../shared/schemas/arm.ts';
import type { CaseResult, RunLine } from '../../shared/schemas/run-result.ts';
import { Spending } from './cost.ts';
import { DetectionTimes } from './detection.ts';
import { bytes, counts, floats, shorts } from './number-column.ts';
import type { CaseRun } from './pairs.ts';
import { type CaseFacts, caseFactsOf, type RunFacts } from './run-facts.ts';
import type { RunTable } from './run-table.ts';

export interface RowKey {
  readonly target: string;
  readonly attack: string;
  readonly dataset: string;
  readonly arm: Arm;
  readonly monitor: string | undefined;
}

/** One name a row; ids are slugs, so the separator stands in none. */
export function rowName(key: RowKey): string {
  return [key.target, key.attack, key.dataset, key.arm, key.monitor ?? ''].join('|');
}

/** Of requests at once in one process: more are counted as so many. */
const MOST_IN_FLIGHT = 65_535;

/** The case-runs of one row: 17 bytes each for where they stand, 6 for load and time, more for what a monitor did. */
export class Row {
  readonly key: RowKey;
  readonly spending = new Spending();
  readonly detection = new DetectionTimes();
  readonly firstTokenMs = floats();
  readonly inFlightAtStart = shorts();
  readonly outcomes: Record<string, number> = {};
  /** Counts behind the shares, for Prometheus. */
  readonly tally = { scored: 0, wrong: 0, targetHits: 0, flagged: 0, interrupted: 0, hitLimit: 0 };
  /** First flags of scored runs, by type. */
  readonly firstFlagTypes = new Map<FlagType, number>();
  readonly #runs: RunTable;
  readonly #places = counts();
  readonly #clusters = counts();
  /** One more than the partner's place; 0 for none. */
  readonly #clean = counts();
  readonly #attacked = counts();
  /** Two bits for each fact of the case: whether there is one, and what it is. */
  readonly #caseFacts = bytes();

  constructor(key: RowKey, runs: RunTable) {
    this.key = key;
    this.#runs = runs;
  }

  add(line: RunLine, entry: CaseResult, facts: RunFacts): void {
    const caseFacts = caseFactsOf(line, entry);
    this.#caseFacts.push(toBits(caseFacts.hitTarget) | (toBits(caseFacts.backdoorStep) << 2));
    this.#places.push(line.place);
    this.#clusters.push(entry.cluster);
    this.#clean.push(entry.clean === undefined ? 0 : entry.clean + 1);
    this.#attacked.push(entry.attacked === undefined ? 0 : entry.attacked + 1);
    this.outcomes[facts.outcome] = (this.outcomes[facts.outcome] ?? 0) + 1;
    this.spending.add(line);
    if (line.timing.firstTokenMs !== undefined) this.firstTokenMs.push(line.timing.firstTokenMs);
    this.inFlightAtStart.push(Math.min(line.timing.inFlightAtStart, MOST_IN_FLIGHT));
    if (this.key.monitor !== undefined) this.detection.add(line, facts);
    this.#count(line, facts, caseFacts);
  }

  #count({ flag }: RunLine, facts: RunFacts, caseFacts: CaseFacts): void {
    if (facts.outcome === 'failed' || facts.outcome === 'halted_monitor_error') return;
    this.tally.scored += 1;
    if (facts.wrong) this.tally.wrong += 1;
    if (caseFacts.hitTarget === true) this.tally.targetHits += 1;
    if (facts.flagged) this.tally.flagged += 1;
    if (flag !== undefined) {
      const type = flagTypeOf(flag.errorType);
      this.firstFlagTypes.set(type, (this.firstFlagTypes.get(type) ?? 0) + 1);
    }
    if (facts.outcome === 'halted_verdict') this.tally.interrupted += 1;
    if (facts.hitLimit) this.tally.hitLimit += 1;
  }

  get length(): number {
    return this.#places.length;
  }

  /**
   * The runs of the row in the order of their places, each with the partners that are there by now: figures must not
   * depend, not even in their last digit, on the order in which runs ended. Made as they are asked for, never all at
   * once: a row can be long.
   */
  inOrder(): Iterable<CaseRun> {
    const order = Uint32Array.from({ length: this.length }, (_, index) => index);
    order.sort((a, b) => this.#places.at(a) - this.#places.at(b));
    return { [Symbol.iterator]: () => this.#caseRuns(order) };
  }

  *#caseRuns(order: Uint32Array): Generator<CaseRun> {
    for (const index of order) {
      const run = this.#runs.get(this.#places.at(index));
      if (run === undefined) continue;
      const partner = (stored: number) => this.#partner(stored);
      const [clean, attacked] = [this.#clean.at(index), this.#attacked.at(index)];
      yield {
        cluster: this.#clusters.at(index),
        run,
        hitTarget: fromBits(this.#caseFacts.at(index)),
        backdoorStep: fromBits(this.#caseFacts.at(index) >> 2),
        // Few figures ask for them.
        get clean() {
          return partner(clean);
        },
        get attacked() {
          return partner(attacked);
        },
      };
    }
  }

  #partner(stored: number): RunFacts | undefined {
    return stored === 0 ? undefined : this.#runs.get(stored - 1);
  }
}

function toBits(fact: boolean | undefined): number {
  return fact === undefined ? 0 : fact ? 3 : 1;
}

function fromBits(bits: number): boolean | undefined {
  return (bits & 1) === 0 ? undefined : (bits & 2) !== 0;
}
