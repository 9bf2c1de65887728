import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { type Config, loadConfig } from '../../shared/config.ts';
import { connectOrExplain, redisOptionsFromUrl } from '../../shared/redis/connection.ts';

/**
 * The health checks of the containers: `check-health.js worker` and `check-health.js metrics`, within the container.
 * The image has neither curl nor ps, and a process that is there may still hang; so a worker is judged by what Redis
 * hears of it.
 */

/** A worker looks for live sweeps every 500 ms: one that was silent this long hangs, or has lost Redis. */
const silentAfterSeconds = 20;
const limitMs = 5_000;

/** A line of CLIENT LIST or CLIENT INFO, as far as it is read here. */
interface RedisClient {
  /** Without the port; an IPv6 address in brackets. */
  readonly host: string;
  readonly name: string;
  readonly idleSeconds: number;
}

/** @param line - `key=value` pairs with spaces between; what is missing reads as empty, and as idle for ever */
export function parseRedisClient(line: string): RedisClient {
  const field = (name: string): string | undefined => new RegExp(`(?:^| )${name}=(\\S*)`).exec(line)?.[1];
  return {
    host: (field('addr') ?? '').replace(/:\d+$/, ''),
    name: field('name') ?? '',
    idleSeconds: Number(field('idle') ?? Infinity),
  };
}

/** Whether a worker on the same address as `self` sent Redis a command of late. Each container has its own address. */
export function isWorkerHeard(clients: readonly RedisClient[], self: RedisClient): boolean {
  return clients.some(
    ({ host, name, idleSeconds }) =>
      host === self.host && name === 'haltline-commands' && idleSeconds <= silentAfterSeconds,
  );
}

/** @throws Error, one line, when Redis is away or hears nothing of this container's worker */
export async function checkWorker(config: Pick<Config, 'redisUrl'>): Promise<void> {
  if (config.redisUrl === undefined) throw new Error('REDIS_URL is not set');
  const redis = await connectOrExplain(redisOptionsFromUrl(config.redisUrl), 'producer', {
    timeoutMs: limitMs,
  });
  try {
    const [clients, self] = await Promise.all([readClients(redis, 'LIST'), readClients(redis, 'INFO')]);
    if (self[0] !== undefined && isWorkerHeard(clients, self[0])) return;
    throw new Error(`Redis heard nothing of this worker for ${String(silentAfterSeconds)} s`);
  } finally {
    redis.disconnect();
  }
}

/** @throws Error, one line, when the metrics worker does not answer */
export async function checkMetrics({ metricsPort }: Pick<Config, 'metricsPort'>): Promise<void> {
  const url = `http://127.0.0.1:${String(metricsPort)}/healthz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(limitMs) });
  if (!response.ok) throw new Error(`${url} answered ${String(response.status)}`);
}

async function readClients(redis: Redis, what: 'LIST' | 'INFO'): Promise<RedisClient[]> {
  const reply = String(await redis.call('CLIENT', what));
  return reply
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseRedisClient);
}

async function check(what: string | undefined): Promise<void> {
  const config = loadConfig(process.env);
  if (what === 'worker') return checkWorker(config);
  if (what === 'metrics') return checkMetrics(config);
  throw new Error('expected worker or metrics');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await check(process.argv[2]);
  } catch (error) {
    process.stderr.write(`unhealthy: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
