import { randomUUID } from 'node:crypto';
import { type Job, WaitingError, Worker } from 'bullmq';
import type { Logger } from 'pino';
import type { Environment } from '../../shared/config.ts';
import { pricesById } from '../../shared/core/spend.ts';
import type { HealthSource } from '../../shared/observability/health-server.ts';
import type { Sample } from '../../shared/observability/metrics-registry.ts';
import { createRedis, type RedisAddress } from '../../shared/redis/connection.ts';
import { parseJob, withJobErrors } from '../../shared/redis/job-error.ts';
import type { Keys } from '../../shared/redis/keys.ts';
import { PushReceiver } from '../../shared/redis/push-receiver.ts';
import { RequestLimiter } from '../../shared/redis/request-limiter.ts';
import { RunStore } from '../../shared/redis/run-store.ts';
import { SweepRegistry } from '../../shared/redis/sweep-registry.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { closeWorkers } from '../../shared/redis/worker-shutdown.ts';
import { type WatchJob, watchJobSchema } from '../../shared/schemas/job.ts';
import type { MonitorSpec } from '../../shared/schemas/sweep-spec.ts';
import { Bookings } from './bookings.ts';
import { capacityFor } from './capacity.ts';
import { createBuiltInMonitor } from './create-monitor.ts';
import { KnownFormats } from './llm/reply-format.ts';
import type { Monitor } from './monitor.ts';
import { Slots } from './slots.ts';
import { watchChain } from './watch-chain.ts';

export interface MonitorWorkerOptions {
  readonly redis: RedisAddress;
  readonly keys: Keys;
  readonly log: Logger;
  /** Where API keys are read from, by the variable names of the spec; default: the process's own environment. */
  readonly env?: Environment;
  /** Chains watched at once, at most; default: by the monitors of the live sweeps. */
  readonly chains?: number;
  readonly id?: string;
  /** How the monitor of a spec's entry is made. */
  readonly createMonitor?: (spec: MonitorSpec) => Monitor | Promise<Monitor>;
}

export interface RunningWorker extends HealthSource {
  readonly id: string;
  /** Takes no new watch, hands back the running ones, and disconnects. */
  close(): Promise<void>;
}

/** How long a closing worker waits for what its calls cost to be booked. */
const MAX_BOOKING_MS = 2_000;
/** A dead monitor's chains are taken over after at most lock + check (QUEUE.md, section 6). */
const locks = { lockDuration: 5_000, stalledInterval: 2_000, maxStalledCount: 10 };

/** Watches chains of all live sweeps until closed. */
export async function startMonitorWorker(options: MonitorWorkerOptions): Promise<RunningWorker> {
  const { redis, keys, log } = options;
  const id = options.id ?? `monitor-${randomUUID().slice(0, 8)}`;
  const commands = createRedis(redis, 'commands', log);
  const sweeps = new SweepStore(commands, keys);
  const store = new RunStore(commands, keys);
  const receiver = await PushReceiver.create(createRedis(redis, 'subscriber', log), keys.channel(id));
  const bookings = new Bookings(store, sweeps, log);
  const limiter = new RequestLimiter({ redis: commands, keys, log });
  const slots = new Slots(capacityFor([]).inFlight);
  const tools = {
    ...{ env: options.env ?? process.env, formats: new KnownFormats(), slots, limiter, log },
    now: () => performance.now(),
  };
  const createMonitor = options.createMonitor ?? ((spec) => createBuiltInMonitor(spec, tools));
  let { chains } = capacityFor([]);
  const workers: Worker[] = [];
  const registry = await SweepRegistry.create(sweeps, log, (known) => {
    const capacity = capacityFor(known.map(({ sweep }) => sweep.spec));
    slots.setLimit(capacity.inFlight);
    chains = options.chains ?? capacity.chains;
    for (const worker of workers) if (worker.concurrency !== chains) worker.concurrency = chains;
  });
  const monitors = new Map<string, Monitor | Promise<Monitor>>();
  const watched = { count: 0 };
  let isClosing = false;

  const watch = async (job: Job<unknown>, token: string, signal: AbortSignal): Promise<void> => {
    const data = parseJob(watchJobSchema, job);
    const known = await registry.get(data.sweep);
    if (!known) return;
    const { spec } = known.sweep;
    const key = `${data.sweep}/${data.monitor}`;
    const monitorSpec = spec.monitors.find((monitor) => monitor.id === data.monitor);
    const made = monitors.get(key) ?? (monitorSpec && createMonitor(monitorSpec));
    if (!made) return;
    monitors.set(key, made);
    const monitor = await made;
    watched.count += 1;
    const end = await watchChain(epochOf(data), {
      ...{ store, receiver, monitor, signal, watcher: id },
      book: (use) => bookings.add(data, use, pricesById(spec).monitors[data.monitor]),
      intervention: spec.intervention,
    }).finally(() => (watched.count -= 1));
    if (end === 'stopped' && isClosing) {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    const who = { sweep: data.sweep, place: data.place, epoch: data.epoch };
    if (end === 'stopped')
      log.warn({ event: 'zombie-refused', ...who, why: 'lock' }, 'the lock on a watch is lost');
    if (end === 'refused')
      log.debug({ event: 'zombie-refused', ...who }, "the watch or the run is another worker's");
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
      concurrency: chains,
      runRetryDelay: 1_000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 1_000 },
    },
  );
  workers.push(worker);
  worker.on('error', (err) => log.debug({ event: 'queue-error', err }, 'watch queue error'));
  worker.on('failed', (job, err) =>
    log.warn({ event: 'job-failed', job: job?.id, err }, 'a watch failed and is tried again'),
  );
  worker.on('lockRenewalFailed', (ids) => ids.forEach((jobId) => worker.cancelJob(jobId, 'lock lost')));
  log.info({ event: 'worker-started', worker: id }, 'monitor worker started');

  return {
    id,
    unready: () => (commands.status === 'ready' ? registry.staleness : 'Redis is not reachable'),
    samples: (): Sample[] => [
      ...limiter.samples(),
      { name: 'haltline_monitor_chains', labels: {}, value: watched.count },
      { name: 'haltline_monitor_calls', labels: { state: 'active' }, value: slots.taken },
      { name: 'haltline_monitor_calls', labels: { state: 'waiting' }, value: slots.waiting },
    ],
    close: async () => {
      isClosing = true;
      registry.close();
      await closeWorkers(workers);
      await bookings.settled(MAX_BOOKING_MS);
      await receiver.close();
      limiter.close();
      commands.disconnect();
      log.info({ event: 'worker-stopped', worker: id }, 'monitor worker stopped');
    },
  };
}

function epochOf(data: WatchJob): { sweep: string; place: number; epoch: number; token: string } {
  return { sweep: data.sweep, place: data.place, epoch: data.epoch, token: data.token };
}
