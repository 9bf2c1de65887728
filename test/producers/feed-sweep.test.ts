import { randomUUID } from 'node:crypto';
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import { describe, expect, it, onTestFinished } from 'vitest';
import { jobIdOf } from '../../producers/feed-lane.ts';
import type { FeedProgress } from '../../producers/feed-progress.ts';
import { type FeedEnd, feedSweep } from '../../producers/feed-sweep.ts';
import type { Plan } from '../../producers/plan-sweep.ts';
import { createRedis, redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { createKeys, type Keys } from '../../shared/redis/keys.ts';
import { RunStore } from '../../shared/redis/run-store.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { type GenerationJob, generationJobSchema } from '../../shared/schemas/job.ts';
import type { LiveSweep, SweepStatus } from '../../shared/schemas/live-sweep.ts';
import { type RunResult, runResultSchema } from '../../shared/schemas/run-result.ts';
import { testRedis } from '../support/redis.ts';
import { silentLog } from '../support/silent-log.ts';
import { fakePlan, fakeQuestions, fakeSpec } from './plan-fixtures.ts';

const pace = { lookMs: 20, settleMs: 50, passMs: 5_000, readyMs: 10_000, leaseMs: 100 };

interface Bench {
  readonly sweep: LiveSweep;
  readonly plan: Plan;
  readonly keys: Keys;
  readonly store: SweepStore;
  readonly runs: RunStore;
  readonly queue: Queue<GenerationJob>;
  readonly url: string;
  readonly progress: FeedProgress[];
  feed(more?: { pace?: Partial<typeof pace>; signal?: AbortSignal }): Promise<FeedEnd>;
  /** Resolves with the first report that fits. */
  until(fits: (progress: FeedProgress) => boolean): Promise<FeedProgress>;
}

/** A sweep of 4 runs a question on one target, on a real Redis, fed at a quick pace. */
function openBench({ questions = 5, limits = {} }: { questions?: number; limits?: object } = {}): Bench {
  const { redis, prefix, url } = testRedis();
  const keys = createKeys(prefix);
  const store = new SweepStore(redis, keys);
  const id = `sweep-${prefix}`;
  const spec = fakeSpec({ limits });
  const plan = fakePlan({ sweep: id, spec, questions: fakeQuestions(questions) });
  const sweep: LiveSweep = { v: 1, id, haltline: '0', createdAtMs: 0, spec, datasets: [], total: plan.total };
  const queue = new Queue<GenerationJob>(keys.generationQueue('target-a'), { connection: redis, prefix });
  const progress: FeedProgress[] = [];
  const waiting = new Set<{
    fits: (progress: FeedProgress) => boolean;
    done: (progress: FeedProgress) => void;
  }>();
  const report = (now: FeedProgress): void => {
    progress.push(now);
    for (const waiter of waiting) if (waiter.fits(now)) waiter.done(now);
  };
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  return {
    ...{ sweep, plan, keys, store, queue, url, progress },
    runs: new RunStore(redis, keys),
    feed: (more) =>
      feedSweep({
        ...{ sweep, plan, redis, keys, log: silentLog, onProgress: report },
        signal: more?.signal ?? stop.signal,
        pace: { ...pace, ...more?.pace },
      }),
    until: (fits) => new Promise((done) => waiting.add({ fits, done })),
  };
}

/** Plays the metrics worker: says ready, settles what is sent, ends the sweep. The results, by place. */
function serveMetrics({ url, keys, sweep, plan }: Bench): Map<number, RunResult[]> {
  const redis = createRedis(redisOptionsFromUrl(url), 'commands');
  const store = new SweepStore(redis, keys);
  const runs = new RunStore(redis, keys);
  const results = new Map<number, RunResult[]>();
  const token = randomUUID();
  const turn = async (): Promise<void> => {
    await store.hold(sweep.id, 'metrics', token);
    if (!(await store.isReady(sweep.id))) await store.setReady(sweep.id, token);
    for (const [entry, [, place = '']] of await redis.xrange(
      keys.sweep(sweep.id).results,
      '-',
      '+',
      'COUNT',
      20,
    )) {
      const run = { sweep: sweep.id, place: Number(place) };
      const committed = await runs.read(run);
      if (committed) results.set(run.place, [...(results.get(run.place) ?? []), committed.result]);
      await store.settle(sweep.id, token, { places: [run.place], entries: [entry] });
      await runs.delete(run);
    }
    if ((await store.countDone(sweep.id)) === plan.total) await store.setStatus(sweep.id, 'finished');
  };
  let last = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(turn);
  }, 10);
  onTestFinished(async () => {
    clearInterval(timer);
    await last;
    redis.disconnect();
  });
  return results;
}

function answered(job: GenerationJob, epoch: number): RunResult {
  return runResultSchema.parse({
    ...{ v: 1, sweep: job.sweep, place: job.place, runId: job.runId, epoch, target: job.target, model: 'm' },
    ...{ questionId: job.questionId, dataset: job.dataset, repeat: job.repeat, cases: job.cases },
    ...{
      simulated: true,
      messagesHash: '',
      decoding: job.decoding,
      seed: job.seed,
      outcome: { status: 'answered' },
    },
    ...{ extractor: job.extractor, gold: job.gold, answer: job.gold, finishReason: 'stop', usage: null },
    tokens: { reasoning: 0, answer: 0, content: 1, wasted: 0 },
    ...{ steps: 0, unjudged: 0, superseded: 0, generator: 'test' },
    timing: {
      ...{ startedAtMs: 0, attachWaitMs: 0, limitWaitMs: 0, gateWaitMs: 0, inFlightAtStart: 0 },
      crashRestart: false,
    },
  });
}

/** Plays the generation worker: commits and sends a result a job. The places that it was given, in order. */
function serveGeneration(
  { url, keys, store, runs }: Bench,
  before: (job: GenerationJob) => void | Promise<void> = () => undefined,
): number[] {
  const places: number[] = [];
  const redis = createRedis(redisOptionsFromUrl(url), 'commands');
  const worker = new Worker(
    keys.generationQueue('target-a'),
    async ({ data }: { data: unknown }) => {
      const job = generationJobSchema.parse(data);
      places.push(job.place);
      await before(job);
      const token = randomUUID();
      const started = await runs.start(job, { token, generator: 'test' });
      if (!('epoch' in started)) {
        await store.send(job.sweep, { place: job.place, epoch: started.result.epoch, bytes: 1 });
        return;
      }
      const epoch = { sweep: job.sweep, place: job.place, epoch: started.epoch, token };
      await runs.commit(epoch, {
        mode: 'unguarded',
        flagged: undefined,
        result: answered(job, started.epoch),
      });
      await store.send(job.sweep, { place: job.place, epoch: started.epoch, bytes: 1 });
    },
    {
      connection: createRedis(redisOptionsFromUrl(url), 'commands'),
      prefix: keys.queuePrefix,
      concurrency: 3,
    },
  );
  worker.on('error', () => undefined);
  onTestFinished(async () => {
    await worker.close();
    redis.disconnect();
  });
  return places;
}

describe('the feeder', () => {
  it('runs a sweep to its end, each place once', async () => {
    const bench = openBench();
    const results = serveMetrics(bench);
    const places = serveGeneration(bench);
    expect(await bench.feed()).toBe('finished');
    const all = Array.from({ length: bench.plan.total }, (_, place) => place);
    expect(places.toSorted((a, b) => a - b)).toEqual(all);
    expect([...results.keys()].toSorted((a, b) => a - b)).toEqual(all);
    expect(bench.progress.at(-1)).toMatchObject({ done: 20, total: 20, waiting: 0, active: 0, etaMs: 0 });
    expect(await bench.store.liveSweeps()).not.toContain(bench.sweep.id);
  });

  it('never has more jobs waiting than the window allows', async () => {
    const bench = openBench({ limits: { windowJobs: 7 } });
    serveMetrics(bench);
    const fed = bench.feed();
    await bench.until(({ waiting }) => waiting === 7);
    let looks = 0;
    await bench.until(() => (looks += 1) > 5);
    expect(await bench.queue.getWaitingCount()).toBe(7);
    serveGeneration(bench);
    expect(await fed).toBe('finished');
    expect(Math.max(...bench.progress.map(({ waiting }) => waiting))).toBe(7);
  });

  it('never has more bytes waiting than the window allows, but for one larger job', async () => {
    const bench = openBench({ limits: { windowBytes: 2_000 } });
    const bytes = bench.plan.block(0).map((job) => JSON.stringify(job).length);
    serveMetrics(bench);
    const fed = bench.feed();
    let looks = 0;
    await bench.until(({ waiting }) => waiting > 0 && (looks += 1) > 5);
    const jobs = await bench.queue.getWaiting();
    const waiting = jobs.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);
    expect(waiting).toBeLessThanOrEqual(2_000);
    expect(waiting).toBeGreaterThan(2_000 - 2 * Math.max(...bytes));
    serveGeneration(bench);
    expect(await fed).toBe('finished');
    const tiny = openBench({ questions: 1, limits: { windowBytes: 1 } });
    serveMetrics(tiny);
    serveGeneration(tiny);
    expect(await tiny.feed()).toBe('finished');
  });

  it('enqueues only what is not marked as done', async () => {
    const bench = openBench();
    const marks = new Uint8Array([0b1111_0000, 0b0000_0111, 0]);
    await bench.store.writeDone(bench.sweep.id, marks);
    serveMetrics(bench);
    const places = serveGeneration(bench);
    expect(await bench.feed()).toBe('finished');
    expect(places.toSorted((a, b) => a - b)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19]);
  });

  it('enqueues again what was lost from the queue', async () => {
    const bench = openBench({ questions: 1 });
    serveMetrics(bench);
    const fed = bench.feed({ pace: { passMs: 100 } });
    await bench.until(({ waiting }) => waiting === 4);
    await bench.queue.obliterate({ force: true });
    const places = serveGeneration(bench);
    expect(await fed).toBe('finished');
    expect([...new Set(places)].toSorted()).toEqual([0, 1, 2, 3]);
  });

  it('adds no job a second time while every unmarked run stands in the queue', async () => {
    const bench = openBench({ questions: 1 });
    serveMetrics(bench);
    const fed = bench.feed({ pace: { passMs: 60 } });
    await bench.until(({ waiting }) => waiting === 4);
    const known = bench.progress.length;
    // Looks come every 20 ms: these are more than two passes.
    await bench.until(() => bench.progress.length > known + 8);
    const redis = createRedis(redisOptionsFromUrl(bench.url), 'commands');
    onTestFinished(() => redis.disconnect());
    const events = await redis.xrange(bench.queue.toKey('events'), '-', '+');
    expect(events.filter(([, fields]) => fields.includes('added'))).toHaveLength(4);
    expect(events.filter(([, fields]) => fields.includes('duplicated'))).toEqual([]);
    serveGeneration(bench);
    expect(await fed).toBe('finished');
  });

  it('makes a WORKER_LOST result of a job that BullMQ gave up', async () => {
    const bench = openBench({ questions: 1 });
    const results = serveMetrics(bench);
    serveGeneration(bench, ({ place }) => {
      if (place === 2) throw new UnrecoverableError('stalled more than allowable limit');
    });
    expect(await bench.feed()).toBe('finished');
    expect(results.get(2)).toMatchObject([
      {
        outcome: { status: 'failed', code: 'WORKER_LOST', message: 'stalled more than allowable limit' },
        runId: bench.plan.job(2).runId,
        generator: 'feeder',
        epoch: 1,
      },
    ]);
    expect(results.get(1)).toMatchObject([{ outcome: { status: 'answered' } }]);
    expect(await bench.queue.getFailedCount()).toBe(0);
  });

  it('sends the result of a run that was committed before its job was given up', async () => {
    const bench = openBench({ questions: 1 });
    const results = serveMetrics(bench);
    serveGeneration(bench, async (job) => {
      if (job.place !== 0) return;
      const token = randomUUID();
      const started = await bench.runs.start(job, { token, generator: 'dying' });
      if (!('epoch' in started)) return;
      const epoch = { sweep: job.sweep, place: job.place, epoch: started.epoch, token };
      await bench.runs.commit(epoch, {
        mode: 'unguarded',
        flagged: undefined,
        result: answered(job, started.epoch),
      });
      throw new UnrecoverableError('died before it could send');
    });
    expect(await bench.feed()).toBe('finished');
    expect(results.get(0)).toMatchObject([{ outcome: { status: 'answered' }, epoch: 1 }]);
  });

  it('waits for a metrics worker, and gives up with one line when there is none', async () => {
    const bench = openBench({ questions: 1 });
    const fed = bench.feed({ pace: { readyMs: 100 } });
    await expect(fed).rejects.toMatchObject({ code: 'METRICS_MISSING' });
    await expect(fed).rejects.toThrow('no metrics worker has taken the sweep');
    expect(await bench.queue.getWaitingCount()).toBe(0);
  });

  it('says why a metrics worker refuses the sweep', async () => {
    const bench = openBench({ questions: 1 });
    const fed = bench.feed();
    const isAnnounced = async (): Promise<boolean> =>
      (await bench.store.liveSweeps()).includes(bench.sweep.id);
    while (!(await isAnnounced())) await new Promise((done) => setTimeout(done, 5));
    await bench.store.setRefusal(bench.sweep.id, 'the folder holds 1 run, Redis has 3 marked');
    await expect(fed).rejects.toMatchObject({
      code: 'FOLDER_BEHIND',
      message: 'the folder holds 1 run, Redis has 3 marked',
    });
  });

  it('leaves a sweep that another feeder feeds', async () => {
    const bench = openBench({ questions: 1 });
    await bench.store.hold(bench.sweep.id, 'feeder', 'another');
    await expect(bench.feed()).rejects.toMatchObject({ code: 'SWEEP_BUSY' });
  });

  it('lets go of the sweep when told to stop, and goes on where it was', async () => {
    const bench = openBench();
    serveMetrics(bench);
    const stop = new AbortController();
    const fed = bench.feed({ signal: stop.signal });
    await bench.until(({ waiting }) => waiting === 20);
    stop.abort();
    expect(await fed).toBe('stopped');
    const places = serveGeneration(bench);
    expect(await bench.feed()).toBe('finished');
    // A run that is on its way to disk while its place is enqueued again finds its result and is done.
    expect(new Set(places).size).toBe(20);
  });

  it('enqueues nothing while the sweep is paused', async () => {
    const bench = openBench({ limits: { windowJobs: 4 } });
    serveMetrics(bench);
    const fed = bench.feed();
    await bench.until(({ waiting }) => waiting === 4);
    const setStatus = async (status: SweepStatus): Promise<void> =>
      bench.store.setStatus(bench.sweep.id, status);
    await setStatus('paused');
    let looks = 0;
    await bench.until(() => (looks += 1) > 2); // a look that had begun before the pause is over
    await bench.queue.drain();
    looks = 0;
    await bench.until(() => (looks += 1) > 5);
    expect(await bench.queue.getWaitingCount()).toBe(0);
    serveGeneration(bench);
    await setStatus('running');
    expect(await fed).toBe('finished');
  });

  it('removes the waiting jobs of a cancelled sweep, and those of no other', async () => {
    const bench = openBench();
    serveMetrics(bench);
    const other = { ...bench.plan.job(0), sweep: 'another-sweep' };
    await bench.queue.add('run', other, { jobId: jobIdOf('another-sweep', 0) });
    const fed = bench.feed();
    await bench.until(({ waiting }) => waiting === 21);
    await bench.store.setStatus(bench.sweep.id, 'cancelled');
    expect(await fed).toBe('cancelled');
    expect((await bench.queue.getWaiting()).map(({ id }) => id)).toEqual(['r-another-sweep-0']);
  });
});
