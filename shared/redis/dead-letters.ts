import type { Redis } from 'ioredis';
import type { Keys } from './keys.ts';

/** Kept at most, about: enough to see what went wrong, never enough to fill Redis. */
const MAX_LETTERS = 10_000;
const MAX_PAYLOAD = 4_096;

export interface DeadLetter {
  /** Where it was found: a queue, a stream, a file. */
  readonly source: string;
  readonly reason: string;
  readonly payload: string;
}

/** Puts aside a message that does not fit its schema. Counted for good, kept for a while. */
export async function sendDeadLetter(redis: Redis, keys: Keys, letter: DeadLetter): Promise<void> {
  const { source, reason, payload } = letter;
  const clipped = payload.slice(0, MAX_PAYLOAD);
  await redis.xadd(
    keys.deadLetters,
    'MAXLEN',
    '~',
    MAX_LETTERS,
    '*',
    'source',
    source,
    'reason',
    reason,
    'payload',
    clipped,
  );
  await redis.incr(keys.deadLetterCount);
}

export async function countDeadLetters(redis: Redis, keys: Keys): Promise<number> {
  return Number((await redis.get(keys.deadLetterCount)) ?? 0);
}
