import { Queue } from 'bullmq';
import { Cluster } from 'ioredis';
import type { RedisClient } from '../../shared/redis/connection.ts';
import { type Percentiles, percentiles } from '../../shared/core/statistics/percentiles.ts';
import { infoField, maxmemoryPolicy, readInfo } from '../../shared/redis/check-redis.ts';
import type { Keys } from '../../shared/redis/keys.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { type Finding, finding } from './finding.ts';

const PINGS = 200;
/** Interrupts go through Redis: from here on, its round trip is felt beside a token's time. */
const SLOW_MS = 20;

export interface RedisFacts {
  readonly version: string | undefined;
  /** Of a cluster; absent: one Redis. */
  readonly nodes?: number;
  readonly maxmemoryPolicy: string | undefined;
  /** Round trips of a PING, one after the other, in milliseconds. */
  readonly pingMs: Percentiles | undefined;
}

/** A Redis that was found usable. */
export async function inspectRedis(redis: RedisClient): Promise<RedisFacts> {
  const version = infoField(await readInfo(redis, 'server'), 'redis_version');
  const times: number[] = [];
  for (let i = 0; i < PINGS; i += 1) {
    const startedAt = performance.now();
    await redis.ping();
    times.push(performance.now() - startedAt);
  }
  const nodes = redis instanceof Cluster ? { nodes: redis.nodes('all').length } : {};
  return { version, ...nodes, maxmemoryPolicy: await maxmemoryPolicy(redis), pingMs: percentiles(times) };
}

export function judgeRedis({ version, nodes, maxmemoryPolicy: policy, pingMs }: RedisFacts): Finding {
  const p50 = pingMs?.p50 ?? 0;
  const ping = `ping p50 ${p50.toFixed(2)} ms, p95 ${(pingMs?.p95 ?? 0).toFixed(2)} ms`;
  const cluster = nodes === undefined ? [] : [`cluster of ${String(nodes)} nodes`];
  const text = [version ?? '?', ...cluster, policy ?? '?', ping].join(', ');
  return finding(p50 > SLOW_MS ? 'warn' : 'ok', 'redis', text);
}

export interface QueueFacts {
  /** `monitor`, or the id of a live sweep's target. */
  readonly queue: string;
  readonly workers: number;
  readonly waiting: number;
  readonly active: number;
}

export interface SweepFacts {
  readonly sweep: string;
  readonly status: string;
  readonly done: number;
  readonly total: number;
  /** Whether a metrics worker holds the sweep. */
  readonly hasMetrics: boolean;
}

export interface LiveFacts {
  readonly sweeps: readonly SweepFacts[];
  readonly queues: readonly QueueFacts[];
}

/** The live sweeps, and the queues that serve them: that of the monitors, and one for each target. */
export async function inspectLive(redis: RedisClient, keys: Keys): Promise<LiveFacts> {
  const store = new SweepStore(redis, keys);
  const sweeps: SweepFacts[] = [];
  const targets = new Set<string>();
  for (const id of await store.liveSweeps()) {
    const [sweep, status, done] = await Promise.all([store.read(id), store.status(id), store.countDone(id)]);
    if (!sweep || !status) continue;
    for (const target of sweep.spec.targets) targets.add(target.id);
    sweeps.push({ sweep: id, status, done, total: sweep.total, hasMetrics: await store.isReady(id) });
  }
  const named = [
    ['monitor', keys.monitorQueue] as const,
    ...[...targets].sort().map((target) => [target, keys.generationQueue(target)] as const),
  ];
  const queues = named.map(([queue, name]) => inspectQueue(redis, { queue, name, prefix: keys.queuePrefix }));
  return { sweeps, queues: await Promise.all(queues) };
}

async function inspectQueue(
  redis: RedisClient,
  { queue, name, prefix }: { queue: string; name: string; prefix: string },
): Promise<QueueFacts> {
  const opened = new Queue(name, { connection: redis, prefix });
  opened.on('error', () => undefined);
  try {
    const [workers, counts] = await Promise.all([
      opened.getWorkersCount(),
      opened.getJobCounts('waiting', 'prioritized', 'delayed', 'active'),
    ]);
    const { waiting = 0, prioritized = 0, delayed = 0, active = 0 } = counts;
    return { queue, workers, waiting: waiting + prioritized + delayed, active };
  } finally {
    await opened.close();
  }
}

export function judgeLive({ sweeps, queues }: LiveFacts): Finding[] {
  return [
    ...(sweeps.length === 0 ? [finding('ok', 'sweeps', 'none is live')] : sweeps.map(judgeSweep)),
    ...queues.map(judgeQueue),
  ];
}

function judgeSweep({ sweep, status, done, total, hasMetrics }: SweepFacts): Finding {
  const text = `${sweep}: ${status}, ${String(done)} of ${String(total)} runs on disk`;
  if (hasMetrics) return finding('ok', 'sweeps', text);
  return finding('warn', 'sweeps', `${text}; no metrics worker holds it: results will wait in Redis`);
}

function judgeQueue({ queue, workers, waiting, active }: QueueFacts): Finding {
  const isMonitor = queue === 'monitor';
  const subject = isMonitor ? 'monitors' : `target ${queue}`;
  const jobs = `${String(waiting)} waiting, ${String(active)} running`;
  if (workers > 0) return finding('ok', subject, `${String(workers)} workers, ${jobs}`);
  const what = isMonitor ? 'guarded runs will wait' : 'its runs will wait';
  return finding('warn', subject, `no worker: ${what} (${jobs})`);
}
