import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import type { Keys } from '../../shared/redis/keys.ts';
import { METRICS_GROUP } from '../../shared/redis/sweep-store.ts';
import type { Check } from './check.ts';
import { scanKeys } from './scan-keys.ts';
import type { RedisClient } from '../../shared/redis/connection.ts';

/** Watches of runs that are over end by themselves; a dead worker's have to be taken over first. */
const PATIENCE_MS = 30_000;

/** No job, no pending entry and no key of a run is left. */
export async function checkLeftovers(
  redis: RedisClient,
  keys: Keys,
  { sweep, targets }: { sweep: string; targets: readonly string[] },
): Promise<Check> {
  const names = [keys.monitorQueue, ...targets.map((target) => keys.generationQueue(target))];
  const queues = names.map((name) => new Queue(name, { connection: redis, prefix: keys.queuePrefix }));
  const startedAtMs = performance.now();
  let problems = await findLeftovers();
  while (problems.length > 0 && performance.now() - startedAtMs < PATIENCE_MS) {
    await sleep(500);
    problems = await findLeftovers();
  }
  await Promise.all(queues.map((queue) => queue.close()));
  const waited = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  return { name: 'no job, entry or key of a run is left', problems, detail: `after ${waited} s` };

  async function findLeftovers(): Promise<string[]> {
    const found: string[] = [];
    for (const queue of queues) {
      for (const [state, count] of Object.entries(await queue.getJobCounts()))
        if (count > 0) found.push(`${queue.name}: ${count} ${state}`);
    }
    const { results } = keys.sweep(sweep);
    const [entries, pending] = await Promise.all([redis.xlen(results), countPending(redis, results)]);
    if (entries > 0) found.push(`${entries} entries in the results stream`);
    if (pending > 0) found.push(`${pending} pending entries`);
    const left = await scanKeys(redis, `${keys.queuePrefix}:run:*`);
    return [...found, ...left.map((key) => `key ${key}`)];
  }
}

async function countPending(redis: RedisClient, stream: string): Promise<number> {
  const reply: unknown = await redis.xpending(stream, METRICS_GROUP).catch(() => [0]);
  return Array.isArray(reply) ? Number(reply[0]) : 0;
}
