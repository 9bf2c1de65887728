import type { JobsOptions, Queue } from 'bullmq';
import type { GenerationJob } from '../shared/schemas/job.ts';
import { jobBytes, MAX_JOB_BYTES, type Plan } from './plan-sweep.ts';
import type { UnmarkedPlaces } from './unmarked-places.ts';

const BATCH_JOBS = 200;

/** The queue's own name of a run's job: adding it again while it exists changes nothing. */
export function jobIdOf(sweep: string, place: number): string {
  return `r-${sweep}-${String(place)}`;
}

/** The place that a job of this sweep has; undefined for another sweep's. */
export function placeOfJob(sweep: string, jobId: string): number | undefined {
  const head = `r-${sweep}-`;
  const rest = jobId.startsWith(head) ? jobId.slice(head.length) : '';
  return /^\d+$/.test(rest) ? Number(rest) : undefined;
}

function jobOptions(job: GenerationJob): JobsOptions {
  return {
    jobId: jobIdOf(job.sweep, job.place),
    // A thrown error is no outcome: what a run may cost is bounded by its epochs, not by BullMQ's attempts.
    attempts: 1_000,
    backoff: { type: 'fixed', delay: 1_000 },
    removeOnComplete: true,
    removeOnFail: false, // swept by the feeder, which makes a result of it
    sizeLimit: MAX_JOB_BYTES,
    stackTraceLimit: 3,
  };
}

/** How many jobs of a queue are where. `waiting` includes those in retry, `delayed` counts these alone. */
export interface LaneCounts {
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
}

export interface LaneOptions {
  readonly plan: Plan;
  /** Which of the plan's targets. */
  readonly target: number;
  readonly queue: Queue<GenerationJob>;
  readonly unmarked: UnmarkedPlaces;
  /** Waiting jobs at once, at most; bytes too, but for a single larger job. */
  readonly windowJobs: number;
  readonly windowBytes: number;
}

/**
 * Feeds one target's queue, so that a slow target never holds back the others. Walks the blocks of its target in order;
 * a walk over all of them is a pass. States: walking, over (until `startPass`). In memory: one block's jobs, and the
 * sizes of the jobs in the window.
 */
export class FeedLane {
  readonly #options: LaneOptions;
  /** Bytes of the jobs last added, oldest first: workers take the oldest, so those waiting are the last ones. */
  #sizes: number[] = [];
  #block = 0;
  #pending: GenerationJob[] = [];

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  get isPassOver(): boolean {
    return this.#pending.length === 0 && this.#planBlock() >= this.#options.plan.blockCount;
  }

  startPass(): void {
    this.#block = 0;
    this.#pending = [];
    this.#options.unmarked.forget();
  }

  async counts(): Promise<LaneCounts> {
    const counts = await this.#options.queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active');
    const delayed = counts.delayed ?? 0;
    return {
      waiting: (counts.waiting ?? 0) + (counts.prioritized ?? 0) + delayed,
      delayed,
      active: counts.active ?? 0,
    };
  }

  /**
   * Adds jobs until the window is full, the pass is over or the signal aborts.
   *
   * @returns the counts before what was added last
   */
  async fill(signal: AbortSignal): Promise<LaneCounts> {
    for (;;) {
      const counts = await this.counts();
      if (signal.aborted) return counts;
      const batch = await this.#nextBatch(counts.waiting);
      if (batch.length === 0) return counts;
      await this.#options.queue.addBulk(batch.map((data) => ({ name: 'run', data, opts: jobOptions(data) })));
    }
  }

  async #nextBatch(waiting: number): Promise<GenerationJob[]> {
    const { windowJobs, windowBytes } = this.#options;
    this.#sizes = waiting === 0 ? [] : this.#sizes.slice(-waiting);
    let bytes = this.#sizes.reduce((sum, size) => sum + size, 0);
    const batch: GenerationJob[] = [];
    while (batch.length < Math.min(BATCH_JOBS, windowJobs - waiting)) {
      const job = await this.#peek();
      if (!job) break;
      const size = jobBytes(job);
      if (bytes + size > windowBytes && this.#sizes.length > 0) break;
      bytes += size;
      this.#sizes.push(size);
      batch.push(job);
      this.#pending.shift();
    }
    return batch;
  }

  /** The next job whose place is not marked; it stays pending. */
  async #peek(): Promise<GenerationJob | undefined> {
    const { plan, unmarked } = this.#options;
    while (this.#pending.length === 0 && !this.isPassOver) {
      const block = this.#planBlock();
      const { first, size } = plan.span(block);
      const places = new Set(await unmarked.within(first, size));
      this.#block += 1;
      if (places.size > 0) this.#pending = plan.block(block).filter(({ place }) => places.has(place));
    }
    return this.#pending[0];
  }

  #planBlock(): number {
    const { plan, target } = this.#options;
    return this.#block * plan.targets.length + target;
  }
}
