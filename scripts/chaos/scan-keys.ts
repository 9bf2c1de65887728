import type { RedisClient } from '../../shared/redis/connection.ts';

/** Every key that fits a pattern. */
export async function scanKeys(redis: RedisClient, pattern: string): Promise<string[]> {
  const found: string[] = [];
  let cursor = '0';
  do {
    const [next, batch] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
    found.push(...batch);
    cursor = next;
  } while (cursor !== '0');
  return found;
}
