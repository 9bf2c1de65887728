import { performance } from 'node:perf_hooks';
import { setImmediate as breathe } from 'node:timers/promises';
import type { SweepFile } from '../../shared/schemas/sweep-file.ts';
import type { Summary } from '../../shared/schemas/summary.ts';
import type { Fold } from './fold.ts';
import { summarise, type RedisCounts } from './summarise.ts';

/** The next summary is not begun before this many times the time that the last took: at most a twentieth of a core. */
const restPerWork = 20;
const leastRestMs = 1_000;

export interface SummaryKeeperOptions {
  readonly fold: Fold;
  readonly sweep: () => SweepFile;
  readonly redisCounts: () => Promise<RedisCounts>;
  readonly write: (summary: Summary) => Promise<void>;
}

/** Keeps a sweep's summary up to date, one computation at a time, with pauses that follow from its cost. */
export class SummaryKeeper {
  readonly #options: SummaryKeeperOptions;
  #latest: Summary | undefined;
  #summarisedLines = -1;
  #notBeforeMs = 0;
  #running: Promise<void> | undefined;

  constructor(options: SummaryKeeperOptions) {
    this.#options = options;
  }

  get latest(): Summary | undefined {
    return this.#latest;
  }

  /** Begins a summary if lines have come since the last, and the pause is over. Its failure goes to `onError`. */
  refresh(onError: (error: unknown) => void): void {
    if (this.#running !== undefined || performance.now() < this.#notBeforeMs) return;
    if (this.#seen() === this.#summarisedLines) return;
    this.#running = this.#compute()
      .catch(onError)
      .finally(() => (this.#running = undefined));
  }

  /** The summary of all lines folded so far, computed now. */
  async finish(): Promise<Summary> {
    await this.settled();
    await this.#compute();
    if (this.#latest === undefined) throw new Error('a summary was computed and is not there');
    return this.#latest;
  }

  /** Waits for a computation under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  #seen(): number {
    return this.#options.fold.lines + this.#options.fold.repeats;
  }

  async #compute(): Promise<void> {
    const startedAtMs = performance.now();
    const seen = this.#seen();
    const { fold, sweep, redisCounts, write } = this.#options;
    const steps = summarise(sweep(), fold, await redisCounts());
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) {
        this.#latest = step.value;
        break;
      }
      await breathe();
    }
    await write(this.#latest);
    this.#summarisedLines = seen;
    const tookMs = performance.now() - startedAtMs;
    this.#notBeforeMs = performance.now() + Math.max(leastRestMs, restPerWork * tookMs);
  }
}
