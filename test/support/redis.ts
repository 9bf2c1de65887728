import { randomUUID } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { type RestartableRedis, startRestartableRedis } from '../../scripts/restartable-redis.ts';
import { createRedis, redisOptionsFromUrl, type RedisClient } from '../../shared/redis/connection.ts';
// Declares what the global set-up provides.
import type {} from './global-setup.ts';

export interface TestRedis {
  readonly url: string;
  /** Of this test alone: `test-` and a UUID. Everything whose key holds it is deleted after the test. */
  readonly prefix: string;
  /** Closed after the test. */
  readonly redis: RedisClient;
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

export type OwnRedis = RestartableRedis;

/** A Redis for one test that stops, kills or fills it. Ended after the test. */
export async function ownRedis(options: { appendonly?: boolean } = {}): Promise<OwnRedis> {
  const redis = await startRestartableRedis(options);
  onTestFinished(() => redis.remove());
  return redis;
}

/** Wherever in the key it stands: keys of a cluster begin with a hash tag. */
async function deleteKeysHolding(redis: RedisClient, prefix: string): Promise<void> {
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `*${prefix}*`, 'COUNT', 1_000);
    if (keys.length > 0) await redis.unlink(...keys);
    cursor = next;
  } while (cursor !== '0');
}
