import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { inject, onTestFinished } from 'vitest';
import { loadConfig } from '../../shared/config.ts';
import { createRedis, redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { startEmbeddedRedis } from '../../shared/redis/embedded-redis.ts';
// Declares what the global set-up provides.
import type {} from './global-setup.ts';
import { silentLog } from './silent-log.ts';

export interface TestRedis {
  readonly url: string;
  /** Of this test alone: `test-` and a UUID. Everything whose key holds it is deleted after the test. */
  readonly prefix: string;
  /** Closed after the test. */
  readonly redis: Redis;
}

/** The Redis that all tests share, under a prefix of the test's own. Call it within a test, before what uses it. */
export function testRedis(): TestRedis {
  const url = inject('redisUrl');
  const prefix = `test-${randomUUID()}`;
  const redis = createRedis(redisOptionsFromUrl(url), 'commands');
  onTestFinished(async () => {
    await deleteKeysHolding(redis, prefix);
    redis.disconnect();
  });
  return { url, prefix, redis };
}

export interface OwnRedis {
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  /** Of the server that runs now: changes with each restart. */
  readonly pid: number;
  /** Ends it if it still runs, and starts it again on the same port over the same data. */
  restart(): Promise<void>;
  /** Ends it; `restart` brings it back. */
  stop(): Promise<void>;
}

/** A Redis for one test that stops, kills or fills it. Ended after the test. */
export async function ownRedis({ appendonly = false }: { appendonly?: boolean } = {}): Promise<OwnRedis> {
  const { cacheDir, searchPath } = loadConfig(process.env);
  const dir = await mkdtemp(join(tmpdir(), 'haltline-test-redis-'));
  const options = { cacheDir, searchPath, log: silentLog, appendonly, dir };
  let server = await startEmbeddedRedis(options);
  onTestFinished(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });
  const { url, port } = server;
  return {
    url,
    port,
    dir,
    get pid() {
      return server.pid;
    },
    restart: async () => {
      await server.stop();
      server = await startEmbeddedRedis({ ...options, port });
    },
    stop: () => server.stop(),
  };
}

/** Wherever in the key it stands: keys of a cluster begin with a hash tag. */
async function deleteKeysHolding(redis: Redis, prefix: string): Promise<void> {
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `*${prefix}*`, 'COUNT', 1_000);
    if (keys.length > 0) await redis.unlink(...keys);
    cursor = next;
  } while (cursor !== '0');
}
