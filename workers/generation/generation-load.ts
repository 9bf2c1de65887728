import type { Sample } from '../../shared/observability/metrics-registry.ts';

/** What an epoch under way says of its waits. */
export interface LoadedEpoch {
  /** Published steps that have no verdict yet; 0 in unguarded runs. */
  readonly stepLag: number;
  /** Since when it has been waiting for a monitor, on the clock of `nowMs`; undefined when it does not wait. */
  readonly waitsForWatchSinceMs: number | undefined;
}

/** The epochs that one generation worker has under way, read when somebody asks: nothing is counted step by step. */
export class GenerationLoad {
  readonly #epochs = new Set<LoadedEpoch>();
  #attached = 0;
  #attachWaitMs = 0;

  /** @returns takes it out again */
  enter(epoch: LoadedEpoch): () => void {
    this.#epochs.add(epoch);
    return () => void this.#epochs.delete(epoch);
  }

  /** A wait for a monitor is over, whether one came or not. */
  attached(waitMs: number): void {
    this.#attached += 1;
    this.#attachWaitMs += waitMs;
  }

  /** Runs that have been waiting for a monitor for at least so long. */
  waitingForWatch(nowMs: number, atLeastMs = 0): number {
    return [...this.#epochs].filter(
      ({ waitsForWatchSinceMs: since }) => since !== undefined && nowMs - since >= atLeastMs,
    ).length;
  }

  *samples(nowMs: number): Generator<Sample> {
    const lags = [...this.#epochs].map(({ stepLag }) => stepLag);
    const one = (name: Sample['name'], value: number): Sample => ({ name, labels: {}, value });
    yield one('haltline_generation_runs', this.#epochs.size);
    yield one(
      'haltline_step_lag',
      lags.reduce((sum, lag) => sum + lag, 0),
    );
    yield one('haltline_step_lag_largest', Math.max(0, ...lags));
    yield one('haltline_watches_waiting', this.waitingForWatch(nowMs));
    yield one('haltline_watch_waits_total', this.#attached);
    yield one('haltline_watch_wait_seconds_total', this.#attachWaitMs / 1_000);
  }
}
