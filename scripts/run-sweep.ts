import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { type FeedEnd, feedSweep } from '../producers/feed-sweep.ts';
import type { FeedProgress } from '../producers/feed-progress.ts';
import type { Config } from '../shared/config.ts';
import { HaltlineError } from '../shared/errors.ts';
import { connectOrExplain, redisOptionsFromUrl } from '../shared/redis/connection.ts';
import { obtainRedis } from '../shared/redis/embedded-redis.ts';
import { createKeys } from '../shared/redis/keys.ts';
import { SweepStore } from '../shared/redis/sweep-store.ts';
import { type CapReached, readCap } from './capped.ts';
import { type Interrupts } from './interrupts.ts';
import type { PreparedSweep } from './prepare-sweep.ts';
import { createProgressDisplay, type ProgressDisplay } from './show-progress.ts';
import { WorkerFleet, type WorkerKind } from './worker-process.ts';

export interface RunSweepOptions {
  /** Called when the workers are starting: what takes a while to read is read while they load. */
  readonly prepare: () => Promise<PreparedSweep>;
  /** Called when every run is on disk: what it does is done while the workers leave. */
  readonly onFinished?: () => Promise<void>;
  /** Worker processes to start here; 0 of all leaves the work to workers elsewhere. */
  readonly workers: Readonly<Record<WorkerKind, number>>;
  readonly resultsDir: string;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  readonly interrupts: Interrupts;
}

export interface RunSweepEnd {
  readonly end: FeedEnd;
  readonly progress: FeedProgress | undefined;
  /** What stopped a sweep that ended as `capped`. */
  readonly reached?: CapReached | undefined;
}

const STOP_MS = 12_000;

/**
 * Runs a sweep to its end, or to the first Ctrl-C: Redis, worker processes, feeder. Everything that was started here is
 * ended here.
 *
 * @throws HaltlineError when Redis or the metrics worker cannot be had, and what `prepare` throws
 */
export async function runSweep(options: RunSweepOptions): Promise<RunSweepEnd> {
  const { config, log, interrupts } = options;
  // Its warnings say no more than the error that follows.
  const redis = await obtainRedis({
    config,
    log: log.child({}, log.level === 'warn' ? { level: 'error' } : {}),
  });
  try {
    return await runOnRedis(options, redis.url);
  } finally {
    interrupts.onSecond = () => undefined;
    await redis.stop();
  }
}

async function runOnRedis(options: RunSweepOptions, url: string): Promise<RunSweepEnd> {
  const { prepare, workers, config, log, interrupts } = options;
  const keys = createKeys(config.prefix);
  const redis = await connectOrExplain(redisOptionsFromUrl(url), 'commands', { log });
  const broken = new AbortController();
  const fleet = new WorkerFleet({
    counts: workers,
    env: workerEnvironment(options, url),
    log,
    onBroken: (kind) => broken.abort(kind),
  });
  interrupts.onSecond = () => fleet.kill();
  let display: ProgressDisplay | undefined;
  let progress: FeedProgress | undefined;
  const onProgress = (now: FeedProgress): void => {
    progress = now;
    display?.show(now);
  };
  try {
    const { sweep, plan } = await prepare();
    display = createProgressDisplay({ isTerminal: process.stderr.isTTY && !config.ci, total: plan.total });
    const signal = AbortSignal.any([interrupts.signal, broken.signal]);
    const end = await feedSweep({ sweep, plan, redis, keys, log, signal, onProgress });
    if (broken.signal.aborted) {
      const kind = String(broken.signal.reason);
      throw new HaltlineError('CONFIG_INVALID', `the ${kind} worker does not start; its reason stands above`);
    }
    if (end === 'finished') await Promise.all([fleet.stop({ withinMs: STOP_MS }), options.onFinished?.()]);
    if (end === 'stopped') await pauseSweep(new SweepStore(redis, keys), sweep.id);
    if (end !== 'capped') return { end, progress };
    return { end, progress, reached: await readCap(new SweepStore(redis, keys), sweep.id) };
  } finally {
    display?.stop();
    await fleet.stop({ withinMs: STOP_MS });
    redis.disconnect();
  }
}

/** Workers elsewhere start no further run of a sweep whose feeder was stopped; feeding again sets it running. */
async function pauseSweep(store: SweepStore, sweep: string): Promise<void> {
  if ((await store.status(sweep)) === 'running') await store.setStatus(sweep, 'paused');
}

function workerEnvironment({ env, resultsDir }: RunSweepOptions, url: string): NodeJS.ProcessEnv {
  return {
    ...env,
    REDIS_URL: url,
    HALTLINE_RESULTS_DIR: resolve(resultsDir),
    HALTLINE_LOG_LEVEL: env.HALTLINE_LOG_LEVEL ?? 'warn',
    // Several commands may run side by side; a port that is wanted is named.
    HALTLINE_METRICS_PORT: env.HALTLINE_METRICS_PORT ?? '0',
  };
}
