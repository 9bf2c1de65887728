import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createRedis, redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import type { GenerationJob } from '../../shared/schemas/job.ts';
import type { RunLine } from '../../shared/schemas/run-result.ts';
import { startGenerationWorker } from '../../workers/generation/main.ts';
import { startMetricsWorker } from '../../workers/metrics/main.ts';
import { startMonitorWorker } from '../../workers/monitor/main.ts';
import {
  buildJob,
  createPipeline,
  type Pipeline,
  scriptedMonitor,
  scriptedSteps,
} from '../support/pipeline.ts';
import { readRunLines, temporaryFolder } from '../support/processes.ts';
import { ownRedis } from '../support/redis.ts';
import { silentLog } from '../support/silent-log.ts';
import { prepareSweep } from '../support/sweep-processes.ts';

const builtIn = fileURLToPath(new URL('../../producers/datasets/built-in/arithmetic.jsonl', import.meta.url));
const CONCURRENCY = 4;
const logEntrySchema = z.record(z.string(), z.unknown());
/** A reply of six steps. */
const script = () => ({ reasoning: scriptedSteps(6), content: ['The answer is 42.'] });

test(
  'with the metrics worker down, generation stops at the byte bound and says why; nothing is lost when one comes',
  { timeout: 60_000 },
  async () => {
    const boundBytes = 20_000;
    const pipeline = await createPipeline({
      ...{ total: 40, simulator: { script } },
      spec: { limits: { backlogBytes: boundBytes } },
    });
    await pipeline.addJobs(unguardedJobs(pipeline, 40));
    const generation = await startGeneration(pipeline);
    await expect.poll(() => generation.events('generation-held-back')).toHaveLength(1);
    // A reply that has ended is no result yet: a job that is active no more has sent its own.
    await expect.poll(() => pipeline.queue.getActiveCount()).toBe(0);

    const { keys, redis, sweep } = pipeline;
    const [held] = generation.events('generation-held-back');
    expect(held).toMatchObject({ reason: 'backlog', sweep: sweep.id, boundBytes });
    expect(generation.paused()).toEqual({ backlog: 1, monitors: 0 });
    const entries = await redis.xlen(keys.sweep(sweep.id).results);
    const backlog = await pipeline.sweeps.backlogBytes(sweep.id);
    // What was under way when the bound was passed is all that comes on top.
    expect(backlog).toBeLessThanOrEqual(boundBytes + (CONCURRENCY + 1) * (backlog / entries));
    expect(await pipeline.queue.getWaitingCount()).toBe(40 - entries);

    const lines = await writeAll(pipeline, 40);
    expect(lines.map(({ outcome }) => outcome.status)).toEqual(lines.map(() => 'answered'));
    await expect.poll(() => generation.paused()).toEqual({ backlog: 0, monitors: 0 });
    expect(await pipeline.sweeps.backlogBytes(sweep.id)).toBe(0);
  },
);

test(
  'with monitors gone, only as many runs as are under way wait, they fail closed in time, and the rest runs once one is there',
  { timeout: 60_000 },
  async () => {
    const pipeline = await createPipeline({
      ...{ total: 16, simulator: { script } },
      spec: { monitor: { attachTimeoutMs: 6_000 } },
    });
    await pipeline.addJobs(guardedJobs(pipeline, 16));
    const generation = await startGeneration(pipeline);
    await expect.poll(() => generation.value('haltline_watches_waiting')).toBe(CONCURRENCY);
    await expect.poll(() => generation.paused(), { timeout: 20_000 }).toEqual({ backlog: 0, monitors: 1 });
    expect(generation.events('generation-held-back')[0]).toMatchObject({ reason: 'monitors' });
    await pipeline.allCommitted(CONCURRENCY);
    expect(pipeline.simulator.requests()).toEqual([]);

    await pipeline.startMonitor();
    const lines = await writeAll(pipeline, 16);
    const failedClosed = lines.filter(
      ({ outcome }) => 'reason' in outcome && outcome.reason === 'monitor_error',
    );
    // Resumed for a moment, before the monitor was there, it may have taken as many again.
    expect([CONCURRENCY, 2 * CONCURRENCY]).toContain(failedClosed.length);
    expect(lines.filter(({ outcome }) => outcome.status === 'answered')).toHaveLength(
      16 - failedClosed.length,
    );
    expect(generation.value('haltline_watch_waits_total')).toBe(16);
    expect(generation.value('haltline_step_lag')).toBe(0);
  },
);

test(
  'with monitors saturated and slow, runs wait for their watch, generation is held back meanwhile, and all are judged',
  { timeout: 120_000 },
  async () => {
    const pipeline = await createPipeline({ total: 8, simulator: { script } });
    await pipeline.addJobs(guardedJobs(pipeline, 8));
    const generation = await startGeneration(pipeline);
    const monitor = await startMonitorWorker({
      ...{ redis: redisOptionsFromUrl(pipeline.url), keys: pipeline.keys, log: silentLog, chains: 1 },
      createMonitor: () => scriptedMonitor(() => new Promise((resolve) => setTimeout(resolve, 2_000, false))),
    });
    onTestFinished(() => monitor.close());
    await expect.poll(() => generation.value('haltline_step_lag'), { timeout: 20_000 }).toBeGreaterThan(0);
    const lines = await writeAll(pipeline, 8);
    expect(lines.map(({ outcome }) => outcome.status)).toEqual(lines.map(() => 'answered'));
    expect(lines.map(({ unjudged }) => unjudged)).toEqual(lines.map(() => 0));
    expect(generation.events('generation-held-back').map(({ reason }) => reason)).toContain('monitors');
    expect(generation.value('haltline_watch_wait_seconds_total')).toBeGreaterThan(0);
  },
);

test(
  'Redis stays under its bounds while no metrics worker writes: waiting jobs, bytes not yet on disk, what is under way',
  { timeout: 120_000 },
  async () => {
    const redis = await ownRedis();
    const client = createRedis(redisOptionsFromUrl(redis.url), 'commands');
    onTestFinished(() => client.disconnect());
    const memory = async (name: string): Promise<number> =>
      Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(await client.info('memory'))?.[1]);
    const [windowBytes, backlogBytes, underWayBytes] = [1_000_000, 2_000_000, 48 * 40_000];
    // Over 40 MB, if all of it stood in Redis.
    const sweep = await prepareSweep(
      redis.url,
      {},
      {
        name: 'bounded',
        attacks: ['badchain', 'deadlock'],
        datasets: [{ id: 'arithmetic', path: builtIn, limit: 60 }],
        more: { repeat: 20, limits: { windowBytes, backlogBytes } },
      },
    );
    const [generation, , metrics] = (['generation', 'monitor', 'metrics'] as const).map((kind) =>
      sweep.startWorker(kind),
    );
    const producer = sweep.produce();
    await expect
      .poll(() => sweep.simulator.requests().length, { timeout: 60_000, interval: 20 })
      .toBeGreaterThan(0);
    metrics?.kill('SIGKILL');
    await expect
      .poll(() => generation?.stderr(), { timeout: 60_000 })
      .toMatch(/"event":"generation-held-back","reason":"backlog"/);
    await expect.poll(() => sweep.simulator.openRequests(), { timeout: 20_000 }).toBe(0);
    const [atStart, peak] = [await memory('used_memory_startup'), await memory('used_memory_peak')];
    // Connections, BullMQ's own keys and Redis's structures may add as much again.
    expect(peak - atStart).toBeLessThan(2 * (windowBytes + backlogBytes) + underWayBytes);
    expect(producer.child.exitCode).toBeNull();
  },
);

interface WatchedGeneration {
  /** Log entries of an event so far. */
  events(event: string): Record<string, unknown>[];
  value(metric: string): number | undefined;
  paused(): Record<string, number>;
}

async function startGeneration({ url, keys }: Pipeline): Promise<WatchedGeneration> {
  const entries: Record<string, unknown>[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      entries.push(logEntrySchema.parse(JSON.parse(chunk.toString('utf8'))));
      done();
    },
  });
  const worker = await startGenerationWorker({
    ...{ redis: redisOptionsFromUrl(url), keys, env: process.env, log: pino(sink) },
    concurrency: CONCURRENCY,
  });
  onTestFinished(() => worker.close());
  const samples = () => [...(worker.samples?.() ?? [])];
  return {
    events: (event) => entries.filter((entry) => entry['event'] === event),
    value: (metric) => samples().find(({ name }) => name === metric)?.value,
    paused: () => {
      const paused: Record<string, number> = {};
      for (const { name, labels, value } of samples())
        if (name === 'haltline_generation_paused') paused[labels['reason'] ?? ''] = value;
      return paused;
    },
  };
}

function guardedJobs({ sweep }: Pipeline, count: number): GenerationJob[] {
  return Array.from({ length: count }, (_, place) => buildJob(sweep, place));
}

function unguardedJobs(pipeline: Pipeline, count: number): GenerationJob[] {
  return guardedJobs(pipeline, count).map((job) => {
    const unguarded = { ...job };
    delete unguarded.guard;
    return unguarded;
  });
}

/** A metrics worker comes; when all is on disk, what it wrote. */
async function writeAll({ url, keys, sweep }: Pipeline, count: number): Promise<RunLine[]> {
  const resultsDir = await temporaryFolder();
  const metrics = await startMetricsWorker({
    ...{ redis: redisOptionsFromUrl(url), keys, resultsDir, host: '127.0.0.1', port: 0, log: silentLog },
  });
  onTestFinished(() => metrics.close());
  const path = join(resultsDir, sweep.id, 'runs.jsonl');
  const places = async () => (await readRunLines(path)).map(({ place }) => place).sort((a, b) => a - b);
  await expect
    .poll(places, { timeout: 60_000, interval: 100 })
    .toEqual(Array.from({ length: count }, (_, place) => place));
  return readRunLines(path);
}
