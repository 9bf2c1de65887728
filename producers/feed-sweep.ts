import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import type { RedisClient } from '../shared/redis/connection.ts';
import type { Logger } from 'pino';
import { HaltlineError } from '../shared/errors.ts';
import type { Keys } from '../shared/redis/keys.ts';
import { RunStore } from '../shared/redis/run-store.ts';
import { LEASE_MS, SweepStore } from '../shared/redis/sweep-store.ts';
import type { LiveSweep } from '../shared/schemas/live-sweep.ts';
import type { GenerationJob } from '../shared/schemas/job.ts';
import { FeedLane, type LaneCounts, placeOfJob } from './feed-lane.ts';
import { etaMs, type FeedProgress, RateMeter } from './feed-progress.ts';
import type { Plan } from './plan-sweep.ts';
import { settleLostJobs } from './settle-lost-jobs.ts';
import { UnmarkedPlaces } from './unmarked-places.ts';

export interface FeedOptions {
  readonly sweep: LiveSweep;
  readonly plan: Plan;
  /** A connection of the role `commands`; left open. */
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly log: Logger;
  /** Aborted: nothing more is enqueued, and the feeder lets go of the sweep. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: FeedProgress) => void;
  readonly pace?: Partial<FeedPace>;
}

/** How often, and how long, in milliseconds. */
export interface FeedPace {
  /** Between looks at the window. */
  readonly lookMs: number;
  /** Between looks for jobs that BullMQ gave up. */
  readonly settleMs: number;
  /** Between passes over the plan once all of it was enqueued. */
  readonly passMs: number;
  /** How long a metrics worker may take to say that it is ready. */
  readonly readyMs: number;
  /** How long another feeder's lease is waited out; a dead one's ends by itself. */
  readonly leaseMs: number;
}

const usualPace: FeedPace = {
  lookMs: 250,
  settleMs: 5_000,
  passMs: 5_000,
  readyMs: 60_000,
  leaseMs: LEASE_MS + 2_000,
};
const RENEW_MS = 3_000;
const DRAINED_PASS_MS = 1_000;
/** After so many times the usual wait, a pass is made although nothing seems to be missing. */
const ANYWAY = 10;

export type FeedEnd = 'finished' | 'cancelled' | 'capped' | 'stopped';

/**
 * Feeds a sweep to its end: announces it, waits for its metrics worker, keeps a bounded window of waiting jobs in each
 * target's queue, and makes results of jobs whose workers were lost. Places that are marked as done are never enqueued,
 * so feeding again is how a sweep resumes. Ends when every run is on disk (`finished`), the sweep's status says
 * `cancelled`, a cap is reached and what was under way is on disk (`capped`), or the signal aborts (`stopped`).
 *
 * @throws HaltlineError METRICS_MISSING, FOLDER_BEHIND (a metrics worker refuses the sweep), SWEEP_BUSY
 */
export async function feedSweep(options: FeedOptions): Promise<FeedEnd> {
  const feeder = new Feeder(options);
  try {
    return await feeder.run();
  } finally {
    await feeder.close();
  }
}

class Feeder {
  readonly #options: FeedOptions;
  readonly #pace: FeedPace;
  readonly #store: SweepStore;
  readonly #runs: RunStore;
  readonly #token = randomUUID();
  readonly #queues: Queue<GenerationJob>[];
  readonly #lanes: FeedLane[];
  readonly #rate = new RateMeter();
  #renewedAtMs = -Infinity;
  #settledAtMs = -Infinity;
  #passedAtMs = performance.now();
  #startedAtMs = performance.now();

  constructor(options: FeedOptions) {
    const { redis, keys, plan, sweep, log } = options;
    this.#options = options;
    this.#pace = { ...usualPace, ...options.pace };
    this.#store = new SweepStore(redis, keys);
    this.#runs = new RunStore(redis, keys);
    const { windowJobs, windowBytes } = sweep.spec.limits;
    this.#queues = plan.targets.map(({ id }) => {
      const queue = new Queue<GenerationJob>(keys.generationQueue(id), {
        connection: redis,
        prefix: keys.queuePrefix,
        streams: { events: { maxLen: 100 } },
      });
      queue.on('error', (err) =>
        log.debug({ event: 'queue-error', target: id, err }, 'generation queue error'),
      );
      return queue;
    });
    this.#lanes = this.#queues.map(
      (queue, target) =>
        new FeedLane({
          ...{ plan, target, queue },
          unmarked: new UnmarkedPlaces(this.#store, sweep.id),
          windowJobs: Math.max(1, Math.floor(windowJobs / plan.targets.length)),
          windowBytes: Math.max(1, Math.floor(windowBytes / plan.targets.length)),
        }),
    );
  }

  async run(): Promise<FeedEnd> {
    const { signal } = this.#options;
    await this.#takeLease();
    await this.#announce();
    this.#startedAtMs = performance.now();
    while (!signal.aborted) {
      const status = await this.#look();
      if (status !== 'running') return status;
      await this.#pause(this.#pace.lookMs);
    }
    return 'stopped';
  }

  async close(): Promise<void> {
    await this.#store.release(this.#options.sweep.id, 'feeder', this.#token).catch(() => undefined);
    // The connection is the caller's; a queue that was lent one leaves it open.
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }

  async #look(): Promise<'running' | 'finished' | 'cancelled' | 'capped'> {
    const { sweep, plan } = this.#options;
    await this.#renewLease();
    const [status, done] = await Promise.all([this.#store.status(sweep.id), this.#store.countDone(sweep.id)]);
    if (status === 'cancelled') {
      await this.#removeWaiting();
      return 'cancelled';
    }
    if (status === 'finished' && done >= plan.total) {
      this.#report(done, []);
      await this.#store.retire(sweep.id);
      return 'finished';
    }
    // Redis has lost the sweep: the metrics worker writes its marks anew before anything is enqueued.
    if (status === undefined) await this.#announce();
    if (status === 'capped' && (await this.#isDrained())) {
      this.#report(done, []);
      return 'capped';
    }
    if (status === 'running') await this.#capWallTime();
    const counts = status === 'running' ? await this.#fill() : await this.#count();
    await this.#settleLost();
    this.#report(done, counts);
    return 'running';
  }

  async #fill(): Promise<LaneCounts[]> {
    const counts = await Promise.all(this.#lanes.map((lane) => lane.fill(this.#options.signal)));
    if (!this.#lanes.every((lane) => lane.isPassOver)) this.#passedAtMs = performance.now();
    else if (await this.#shouldPass(counts)) {
      for (const lane of this.#lanes) lane.startPass();
      this.#passedAtMs = performance.now();
    }
    return counts;
  }

  /**
   * Whether to go over the plan again, for runs that Redis lost. Not while every unmarked run is accounted for: each would
   * be built and added once more, and found to be there. Jobs of other sweeps may stand in for lost ones, so now and then
   * it goes all the same.
   */
  async #shouldPass(counts: readonly LaneCounts[]): Promise<boolean> {
    const silentMs = performance.now() - this.#passedAtMs;
    if (silentMs < (await this.#passAfterMs(counts))) return false;
    return silentMs >= ANYWAY * this.#pace.passMs || (await this.#isAnyMissing(counts));
  }

  /** Read in the order in which runs move on, so that one under way is counted twice rather than not at all. */
  async #isAnyMissing(counts: readonly LaneCounts[]): Promise<boolean> {
    const { sweep, plan } = this.#options;
    const queued = counts.reduce((sum, { waiting, active }) => sum + waiting + active, 0);
    const sent = await this.#store.countSent(sweep.id);
    const done = await this.#store.countDone(sweep.id);
    return queued + sent + done < plan.total;
  }

  /** With nothing left in the queues and nothing on its way to disk, what is unmarked has been lost. */
  async #passAfterMs(counts: readonly LaneCounts[]): Promise<number> {
    const isDrained = counts.every(({ waiting, active }) => waiting + active === 0);
    const isWritten = isDrained && (await this.#store.backlogBytes(this.#options.sweep.id)) === 0;
    return isWritten ? Math.min(DRAINED_PASS_MS, this.#pace.passMs) : this.#pace.passMs;
  }

  async #count(): Promise<LaneCounts[]> {
    return Promise.all(this.#lanes.map((lane) => lane.counts()));
  }

  async #settleLost(): Promise<void> {
    if (performance.now() - this.#settledAtMs < this.#pace.settleMs) return;
    const { sweep, plan, log } = this.#options;
    const ports = { sweep, plan, log, store: this.#store, runs: this.#runs };
    for (const queue of this.#queues) await settleLostJobs(queue, ports);
    this.#settledAtMs = performance.now();
  }

  #report(done: number, counts: readonly LaneCounts[]): void {
    const { plan, onProgress } = this.#options;
    const sum = (of: (count: LaneCounts) => number): number =>
      counts.reduce((total, count) => total + of(count), 0);
    const ratePerSecond = this.#rate.sample(performance.now(), done);
    onProgress?.({
      ...{ done, total: plan.total, ratePerSecond },
      waiting: sum(({ waiting }) => waiting),
      inRetry: sum(({ delayed }) => delayed),
      active: sum(({ active }) => active),
      etaMs: etaMs(plan.total - done, ratePerSecond),
    });
  }

  /** A feeder that died still holds its lease for a while; one that lives renews it. */
  async #takeLease(): Promise<void> {
    const { sweep, signal } = this.#options;
    const startedAtMs = performance.now();
    while (!(await this.#store.hold(sweep.id, 'feeder', this.#token))) {
      if (signal.aborted) return;
      if (performance.now() - startedAtMs > this.#pace.leaseMs) throw this.#busy();
      await this.#pause(500);
    }
    this.#renewedAtMs = performance.now();
  }

  async #renewLease(): Promise<void> {
    if (performance.now() - this.#renewedAtMs < RENEW_MS) return;
    if (!(await this.#store.hold(this.#options.sweep.id, 'feeder', this.#token))) throw this.#busy();
    this.#renewedAtMs = performance.now();
  }

  #busy(): HaltlineError {
    return new HaltlineError('SWEEP_BUSY', `another process feeds the sweep ${this.#options.sweep.id}`);
  }

  async #announce(): Promise<void> {
    const { sweep, signal } = this.#options;
    await this.#store.clearRefusal(sweep.id);
    await this.#store.announce(sweep);
    const startedAtMs = performance.now();
    while (!signal.aborted && !(await this.#store.isReady(sweep.id))) {
      const refusal = await this.#store.refusal(sweep.id);
      if (refusal !== undefined) throw new HaltlineError('FOLDER_BEHIND', refusal);
      if (performance.now() - startedAtMs > this.#pace.readyMs) {
        const within = `within ${String(Math.round(this.#pace.readyMs / 1_000))} s`;
        throw new HaltlineError(
          'METRICS_MISSING',
          `no metrics worker has taken the sweep ${sweep.id} ${within}: start one with \`haltline worker metrics\``,
        );
      }
      await this.#renewLease();
      await this.#pause(Math.min(100, this.#pace.lookMs));
    }
  }

  async #removeWaiting(): Promise<void> {
    const { sweep } = this.#options;
    for (const queue of this.#queues) {
      const jobs = await queue.getJobs(['waiting', 'delayed', 'prioritized']);
      for (const job of jobs) {
        // A job that a worker has just taken cannot be removed: its worker sees the status itself.
        const place = placeOfJob(sweep.id, job.id ?? '');
        if (place === undefined) continue;
        await job.remove().then(
          // What a worker that died had reserved for it.
          () => this.#store.releaseSpend(sweep.id, place),
          () => undefined,
        );
      }
    }
  }

  /** After a cap: nothing waits any more, and what was under way is on disk. */
  async #isDrained(): Promise<boolean> {
    await this.#removeWaiting();
    if ((await this.#countActive()) > 0) return false;
    // One that was put off meanwhile waits again.
    await this.#removeWaiting();
    return (
      (await this.#countActive()) === 0 && (await this.#store.backlogBytes(this.#options.sweep.id)) === 0
    );
  }

  async #countActive(): Promise<number> {
    const { id } = this.#options.sweep;
    const jobs = await Promise.all(this.#queues.map((queue) => queue.getJobs(['active'])));
    return jobs.flat().filter((job) => placeOfJob(id, job.id ?? '') !== undefined).length;
  }

  async #capWallTime(): Promise<void> {
    const { id, spec } = this.#options.sweep;
    const { maxWallTimeMinutes = Infinity } = spec.limits;
    if (performance.now() - this.#startedAtMs < maxWallTimeMinutes * 60_000) return;
    await this.#store.setCapped(id, 'maxWallTimeMinutes');
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#options.signal }).catch(() => undefined);
  }
}
