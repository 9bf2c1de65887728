import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { HaltlineError } from '../../shared/errors.ts';
import type { Sample } from '../../shared/observability/metrics-registry.ts';
import { createRedis, type RedisAddress, type RedisClient } from '../../shared/redis/connection.ts';
import type { Keys } from '../../shared/redis/keys.ts';
import { RunStore } from '../../shared/redis/run-store.ts';
import type { KnownSweep } from '../../shared/redis/sweep-registry.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import type { LiveSweep } from '../../shared/schemas/live-sweep.ts';
import type { Summary } from '../../shared/schemas/summary.ts';
import { DeadLetters } from '../../shared/redis/dead-letters.ts';
import { ResultStream } from './result-stream.ts';
import { sweepSamples } from './samples.ts';
import { ServedSweep } from './serve-sweep.ts';

/** How long the figures of a sweep are served after its end. */
const keepEndedMs = 3_600_000;
/** A sweep that could not be taken is tried again after this. */
const retryMs = 5_000;

export interface SweepDeskOptions {
  readonly redis: RedisAddress;
  readonly keys: Keys;
  readonly resultsDir: string;
  readonly log: Logger;
}

interface Served {
  readonly sweep: ServedSweep;
  /** Settles when it writes no more. */
  readonly ended: Promise<void>;
  isActive: boolean;
  /** When it was seen to be live no more. */
  retiredAtMs: number | undefined;
}

/**
 * The sweeps of one metrics worker. Each is untaken (another holds it, or it was refused: tried again), active (its
 * results are written here), or ended (figures stay for an hour).
 */
export class SweepDesk {
  readonly store: SweepStore;
  readonly #options: SweepDeskOptions;
  readonly #redis: RedisClient;
  readonly #served = new Map<string, Served>();
  readonly #taking = new Map<string, Promise<void>>();
  readonly #notBeforeMs = new Map<string, number>();
  readonly #refusals = new Map<string, string>();
  #closed = false;

  /** @param redis - for commands; each sweep gets a blocking connection of its own beside it */
  constructor(options: SweepDeskOptions, redis: RedisClient) {
    this.#options = options;
    this.#redis = redis;
    this.store = new SweepStore(redis, options.keys);
  }

  /** Takes what is live and free, and lets go of what has ended. */
  look(live: readonly KnownSweep[]): void {
    if (this.#closed) return;
    const ids = new Set(live.map(({ sweep }) => sweep.id));
    for (const { sweep } of live) this.#consider(sweep);
    for (const [id, served] of this.#served) if (!ids.has(id)) this.#retire(id, served);
  }

  summary(id: string): Summary | undefined {
    return this.#served.get(id)?.sweep.summary;
  }

  /** The targets of the sweeps whose results are written here. */
  targets(): ReadonlySet<string> {
    const active = [...this.#served.values()].filter((served) => served.isActive);
    return new Set(active.flatMap(({ sweep }) => sweep.sweep.spec.targets.map((target) => target.id)));
  }

  async samples(): Promise<Sample[]> {
    const current = [...this.#served.values()].filter(({ sweep }) => !sweep.isTakenOver);
    const samples = current.map(async ({ sweep: served }) => [
      ...sweepSamples({
        total: served.sweep.total,
        file: served.file,
        fold: served.fold,
        summary: served.summary,
        deadLetters: served.deadLetterCount,
        status: served.status,
        backlogBytes: await this.store.backlogBytes(served.sweep.id),
      }),
    ]);
    return (await Promise.all(samples)).flat();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#taking.values());
    for (const { sweep } of this.#served.values()) sweep.stop();
    await Promise.all([...this.#served.values()].map((served) => served.ended));
  }

  #consider(sweep: LiveSweep): void {
    const { id } = sweep;
    const served = this.#served.get(id);
    if (served) {
      served.retiredAtMs = undefined;
      this.#adopt(served, sweep);
    }
    const isEarly = performance.now() < (this.#notBeforeMs.get(id) ?? 0);
    if (served?.isActive === true || this.#taking.has(id) || isEarly) return;
    this.#taking.set(
      id,
      this.#take(sweep).finally(() => this.#taking.delete(id)),
    );
  }

  #adopt(served: Served, sweep: LiveSweep): void {
    served.sweep.adopt(sweep).catch((err: unknown) => {
      this.#options.log.warn(
        { event: 'sweep-not-adopted', sweep: sweep.id, err },
        'new limits are not in the file',
      );
    });
  }

  async #take(sweep: LiveSweep): Promise<void> {
    const { id } = sweep;
    const log = this.#options.log.child({ sweep: id });
    const token = randomUUID();
    const blocking = createRedis(this.#options.redis, 'blocking', log);
    const stream = new ResultStream(
      { commands: this.#redis, blocking },
      this.#options.keys.sweep(id).results,
      token,
    );
    try {
      const served = await ServedSweep.take(sweep, {
        resultsDir: this.#options.resultsDir,
        token,
        store: this.store,
        runs: new RunStore(this.#redis, this.#options.keys),
        stream,
        deadLetters: new DeadLetters(this.#redis, this.#options.keys),
        log,
      });
      if (served === undefined) stream.close();
      else this.#activate(id, served, log);
    } catch (error) {
      stream.close();
      this.#notBeforeMs.set(id, performance.now() + retryMs);
      this.#explain(id, error, log);
    }
  }

  #activate(id: string, sweep: ServedSweep, log: Logger): void {
    this.#refusals.delete(id);
    const served: Served = {
      sweep,
      isActive: true,
      retiredAtMs: undefined,
      ended: sweep
        .run()
        .catch((err: unknown) => {
          log.error({ event: 'sweep-dropped', err }, 'the results of a sweep are no longer written here');
        })
        .then(() => {
          served.isActive = false;
          this.#notBeforeMs.set(id, performance.now() + retryMs);
        }),
    };
    this.#served.set(id, served);
  }

  /** The same refusal is told once, not at each try. */
  #explain(id: string, err: unknown, log: Logger): void {
    const message = err instanceof Error ? err.message : String(err);
    if (this.#refusals.get(id) === message) return;
    this.#refusals.set(id, message);
    if (err instanceof HaltlineError) log.error({ event: 'sweep-refused', code: err.code }, message);
    else log.error({ event: 'sweep-refused', err }, 'the sweep could not be taken');
  }

  #retire(id: string, served: Served): void {
    served.retiredAtMs ??= performance.now();
    if (served.isActive) void this.#stopIfRetired(id, served);
    else if (performance.now() - served.retiredAtMs > keepEndedMs) this.#served.delete(id);
  }

  /** A sweep that Redis has forgotten altogether was lost, not retired: the one who serves it makes it known again. */
  async #stopIfRetired(id: string, { sweep }: Served): Promise<void> {
    const isOver = sweep.status === 'finished' || sweep.status === 'cancelled';
    const status = await this.store.status(id).catch(() => undefined);
    if (isOver || status !== undefined) sweep.stop();
  }
}
