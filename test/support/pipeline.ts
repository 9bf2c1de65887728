import { once, EventEmitter } from 'node:events';
import { Queue } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { onTestFinished } from 'vitest';
import {
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from '../../scripts/simulator/create-simulator.ts';
import { redisOptionsFromUrl, type RedisClient } from '../../shared/redis/connection.ts';
import { createKeys, type Keys } from '../../shared/redis/keys.ts';
import { type CommittedRun, RunStore } from '../../shared/redis/run-store.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { type GenerationJob, MESSAGE_VERSION } from '../../shared/schemas/job.ts';
import { type LiveSweep, liveSweepSchema } from '../../shared/schemas/live-sweep.ts';
import { type SweepSpec, sweepSpecSchema } from '../../shared/schemas/sweep-spec.ts';
import type { Step } from '../../shared/schemas/step.ts';
import type { Verdict } from '../../shared/schemas/verdict.ts';
import { startGenerationWorker } from '../../workers/generation/main.ts';
import { startMonitorWorker } from '../../workers/monitor/main.ts';
import type { Monitor } from '../../workers/monitor/monitor.ts';
import { testRedis } from './redis.ts';
import { silentLog } from './silent-log.ts';

export interface Pipeline {
  readonly url: string;
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly store: RunStore;
  readonly sweeps: SweepStore;
  readonly sweep: LiveSweep;
  readonly simulator: Simulator;
  readonly queue: Queue;
  addJobs(jobs: readonly GenerationJob[]): Promise<void>;
  startGeneration(): Promise<{ id: string; close(): Promise<void> }>;
  startMonitor(monitor?: Monitor): Promise<{ id: string; close(): Promise<void> }>;
  /** Waits until so many entries stand in the results stream. */
  allCommitted(count: number): Promise<void>;
  /** Waits until a run's result is in the results stream; answers the run as it stands in Redis. */
  committed(place: number): Promise<CommittedRun>;
}

export interface PipelineOptions {
  readonly simulator?: SimulatorOptions;
  readonly spec?: Partial<Record<keyof SweepSpec, unknown>>;
  readonly total?: number;
  /** Where the workers find Redis, when not at its own address: a proxy. */
  readonly workerRedis?: (redis: RedisOptions) => Promise<RedisOptions>;
}

/** A sweep in Redis and a simulated target, with no worker yet; all of it ends with the test. */
export async function createPipeline(options: PipelineOptions = {}): Promise<Pipeline> {
  const { url, prefix, redis } = testRedis();
  const simulator = await createSimulator(options.simulator);
  const keys = createKeys(prefix);
  const store = new RunStore(redis, keys);
  const sweeps = new SweepStore(redis, keys);
  const sweep = buildLiveSweep({
    apiBaseUrl: simulator.url,
    spec: options.spec ?? {},
    total: options.total ?? 1,
  });
  await sweeps.announce(sweep);
  const queue = new Queue(keys.generationQueue('sim'), { connection: redis, prefix: keys.queuePrefix });
  const closing: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    await Promise.all(closing.map((close) => close()));
    await queue.close();
    await simulator.close();
  });
  const address = redisOptionsFromUrl(url);
  const base = { redis: (await options.workerRedis?.(address)) ?? address, keys, log: silentLog };
  return {
    ...{ url, redis, keys, store, sweeps, sweep, simulator, queue },
    addJobs: async (jobs) => {
      await queue.addBulk(jobs.map((data) => ({ name: 'run', data, opts: jobOptions(data) })));
    },
    startGeneration: async () => {
      const worker = await startGenerationWorker({ ...base, env: process.env });
      closing.push(() => worker.close());
      return worker;
    },
    startMonitor: async (monitor) => {
      const worker = await startMonitorWorker({ ...base, ...(monitor && { createMonitor: () => monitor }) });
      closing.push(() => worker.close());
      return worker;
    },
    allCommitted: (count) => untilResults(url, keys, sweep.id, (places) => places.size === count),
    committed: async (place) => {
      await untilResults(url, keys, sweep.id, (places) => places.has(place));
      const run = await store.read({ sweep: sweep.id, place });
      if (!run) throw new Error(`run ${place} is announced and cannot be read`);
      return run;
    },
  };
}

export function jobOptions(job: GenerationJob): object {
  return {
    jobId: `r-${job.sweep}-${String(job.place)}`,
    attempts: 1_000,
    backoff: { type: 'fixed', delay: 200 },
    removeOnComplete: true,
  };
}

export function buildLiveSweep(options: {
  apiBaseUrl: string;
  spec: Partial<Record<keyof SweepSpec, unknown>>;
  total: number;
}): LiveSweep {
  const spec = sweepSpecSchema.parse({
    name: 'test',
    targets: [
      { id: 'sim', concurrency: 100, config: { apiBaseUrl: options.apiBaseUrl, model: 'sim-reasoner' } },
    ],
    attacks: ['badchain'],
    datasets: ['arithmetic'],
    ...options.spec,
  });
  const dataset = {
    id: 'arithmetic',
    sha256: '',
    extractor: 'number',
    rows: 1,
    duplicates: 0,
    sample: ['q'],
  };
  return liveSweepSchema.parse({
    v: MESSAGE_VERSION,
    id: 'test-0123456789ab',
    haltline: '0.0.0',
    createdAtMs: 0,
    spec,
    datasets: [dataset],
    total: options.total,
  });
}

/** A guarded run of one question; `question` marks it in the simulator's script. */
export function buildJob(sweep: LiveSweep, place = 0, overrides: Partial<GenerationJob> = {}): GenerationJob {
  return {
    v: MESSAGE_VERSION,
    sweep: sweep.id,
    place,
    runId: `run-${String(place)}`,
    target: 'sim',
    messages: [{ role: 'user', content: `question ${String(place)}` }],
    decoding: { maxTokens: 4_000 },
    seed: place,
    repeat: 0,
    questionId: `q${String(place)}`,
    dataset: 'arithmetic',
    extractor: 'number',
    gold: '42',
    cases: [
      {
        caseId: `c${String(place)}`,
        attack: 'badchain',
        dataset: 'arithmetic',
        arm: 'guarded',
        cluster: place,
      },
    ],
    guard: {
      monitor: 'rules',
      version: 'test',
      problem: { query: `question ${String(place)}`, asksForSteps: true },
    },
    ...overrides,
  };
}

/** Steps long enough that none is joined to the next. */
export function scriptedSteps(count: number): string[] {
  return Array.from(
    { length: count },
    (_, i) => `This is step number ${String(i)} of the scripted chain.\n\n`,
  );
}

/** A monitor made of a function from a step to whether it is unsafe (and, if a promise, when). */
export function scriptedMonitor(judge: (step: Step) => boolean | Promise<boolean>): Monitor {
  return {
    version: 'test',
    watch: () => ({
      judge: (step) => {
        const unsafe = judge(step);
        return unsafe instanceof Promise ? unsafe.then((is) => verdictOn(step, is)) : verdictOn(step, unsafe);
      },
    }),
  };
}

export function verdictOn(step: Pick<Step, 'index'>, unsafe: boolean): Verdict {
  return {
    status: 'judged',
    stepIndex: step.index,
    errorDetected: unsafe,
    errorType: unsafe ? '3a' : 'NO_ERROR',
    confidence: 1,
    errorLocation: '',
    errorExplanation: '',
    durationMs: 0,
  };
}

/** Something that happens once and can be waited for by many. */
export function createGate(): { open(): void; opened: Promise<void> } {
  const emitter = new EventEmitter();
  const opened = once(emitter, 'open').then(() => undefined);
  return { open: () => void emitter.emit('open'), opened };
}

/** Reads the results stream until the places in it are enough. */
async function untilResults(
  url: string,
  keys: Keys,
  sweep: string,
  isEnough: (places: ReadonlySet<number>) => boolean,
): Promise<void> {
  const reader = new Redis(url, { maxRetriesPerRequest: null });
  const places = new Set<number>();
  try {
    for (let from = '0-0'; !isEnough(places);) {
      const reply = await reader.xread('BLOCK', 0, 'STREAMS', keys.sweep(sweep).results, from);
      for (const [, entries] of reply ?? []) {
        for (const [id, fields] of entries) {
          from = id;
          places.add(Number(fields[fields.indexOf('place') + 1]));
        }
      }
    }
  } finally {
    reader.disconnect();
  }
}
