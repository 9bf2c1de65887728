import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** How far Redis's limit is set above what it holds: little enough to be filled at once. */
const HEADROOM_BYTES = 4 * 1024 * 1024;
const FILLER_BYTES = 256 * 1024;
const FILLER_KEY = 'chaos:filler';
/** Long enough for every worker to have writes refused. */
const FULL_MS = 4_000;

/** Closes every connection to the server but the one that asks, in the middle of whatever it does. */
export async function cutConnections(url: string): Promise<void> {
  await withClient(url, async (redis) => {
    await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  });
}

/**
 * Fills the server to its memory limit, so that it refuses whatever takes memory, and makes room again after a few
 * seconds.
 * @returns how many writes of the filler the limit let through
 * @throws when the limit refused none: then nothing was tried
 */
export async function fillRedis(url: string): Promise<number> {
  return withClient(url, async (redis) => {
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
    await redis.config('SET', 'maxmemory', String(used + HEADROOM_BYTES));
    try {
      const filled = await fill(redis);
      await sleep(FULL_MS);
      return filled;
    } finally {
      await redis.config('SET', 'maxmemory', '0');
      await redis.del(FILLER_KEY);
    }
  });
}

async function fill(redis: Redis): Promise<number> {
  const filler = 'x'.repeat(FILLER_BYTES);
  const most = (HEADROOM_BYTES / FILLER_BYTES) * 4;
  for (let written = 0; written < most; written += 1) {
    try {
      await redis.rpush(FILLER_KEY, filler);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('OOM')) return written;
      throw error;
    }
  }
  throw new Error('Redis took the filler past its limit');
}

async function withClient<Result>(url: string, use: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url, { maxRetriesPerRequest: 3 });
  redis.on('error', () => undefined);
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}
