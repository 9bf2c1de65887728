import { randomUUID } from 'node:crypto';
import { type Job, WaitingError, Worker } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { createRedis } from '../../shared/redis/connection.ts';
import { parseJob, withJobErrors } from '../../shared/redis/job-error.ts';
import type { Keys } from '../../shared/redis/keys.ts';
import { PushReceiver } from '../../shared/redis/push-receiver.ts';
import { RunStore } from '../../shared/redis/run-store.ts';
import { SweepRegistry } from '../../shared/redis/sweep-registry.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { closeWorkers } from '../../shared/redis/worker-shutdown.ts';
import { type WatchJob, watchJobSchema } from '../../shared/schemas/job.ts';
import type { MonitorSpec } from '../../shared/schemas/sweep-spec.ts';
import { createBuiltInMonitor } from './create-monitor.ts';
import type { Monitor } from './monitor.ts';
import { watchChain } from './watch-chain.ts';

export interface MonitorWorkerOptions {
  readonly redis: RedisOptions;
  readonly keys: Keys;
  readonly log: Logger;
  /** Chains watched at once, at most. */
  readonly chains?: number;
  readonly id?: string;
  /** How the monitor of a spec's entry is made. */
  readonly createMonitor?: (spec: MonitorSpec) => Monitor;
}

export interface RunningWorker {
  readonly id: string;
  /** Takes no new watch, hands back the running ones, and disconnects. */
  close(): Promise<void>;
}

/** `rules` cost microseconds a step, so one worker can watch many chains. */
const RULES_CHAINS = 500;
/** A dead monitor's chains are taken over after at most lock + check (QUEUE.md, section 6). */
const locks = { lockDuration: 5_000, stalledInterval: 2_000, maxStalledCount: 10 };

/** Watches chains of all live sweeps until closed. */
export async function startMonitorWorker(options: MonitorWorkerOptions): Promise<RunningWorker> {
  const { redis, keys, log, createMonitor = createBuiltInMonitor } = options;
  const id = options.id ?? `monitor-${randomUUID().slice(0, 8)}`;
  const commands = createRedis(redis, 'commands', log);
  const sweeps = new SweepStore(commands, keys);
  const store = new RunStore(commands, keys);
  const receiver = await PushReceiver.create(createRedis(redis, 'subscriber', log), keys.channel(id));
  const registry = await SweepRegistry.create(sweeps, log, () => undefined);
  const monitors = new Map<string, Monitor>();
  let isClosing = false;

  const watch = async (job: Job<unknown>, token: string, signal: AbortSignal): Promise<void> => {
    const data = parseJob(watchJobSchema, job);
    const known = await registry.get(data.sweep);
    if (!known) return;
    const { spec } = known.sweep;
    const key = `${data.sweep}/${data.monitor}`;
    const monitorSpec = spec.monitors.find((monitor) => monitor.id === data.monitor);
    const monitor = monitors.get(key) ?? (monitorSpec && createMonitor(monitorSpec));
    if (!monitor) return;
    monitors.set(key, monitor);
    const end = await watchChain(epochOf(data), {
      ...{ store, receiver, monitor, signal, watcher: id },
      intervention: spec.intervention,
    });
    if (end === 'stopped' && isClosing) {
      await job.moveToWait(token);
      throw new WaitingError();
    }
  };

  const never = new AbortController().signal;
  const worker = new Worker(
    keys.monitorQueue,
    (job: Job<unknown>, token?: string, signal?: AbortSignal) =>
      withJobErrors({ job, token: token ?? '', redis: commands, keys, log }, () =>
        watch(job, token ?? '', signal ?? never),
      ),
    {
      ...locks,
      connection: commands,
      prefix: keys.queuePrefix,
      concurrency: options.chains ?? RULES_CHAINS,
      runRetryDelay: 1_000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 1_000 },
    },
  );
  worker.on('error', (err) => log.debug({ event: 'queue-error', err }, 'watch queue error'));
  worker.on('failed', (job, err) =>
    log.warn({ event: 'job-failed', job: job?.id, err }, 'a watch failed and is tried again'),
  );
  worker.on('lockRenewalFailed', (ids) => ids.forEach((jobId) => worker.cancelJob(jobId, 'lock lost')));
  log.info({ event: 'worker-started', worker: id }, 'monitor worker started');

  return {
    id,
    close: async () => {
      isClosing = true;
      registry.close();
      await closeWorkers([worker]);
      await receiver.close();
      commands.disconnect();
      log.info({ event: 'worker-stopped', worker: id }, 'monitor worker stopped');
    },
  };
}

function epochOf(data: WatchJob): { sweep: string; place: number; epoch: number; token: string } {
  return { sweep: data.sweep, place: data.place, epoch: data.epoch, token: data.token };
}
