import type { RedisClient } from './connection.ts';
import type { Keys } from './keys.ts';

/** Kept at most, about: enough to see what went wrong, never enough to fill Redis. */
const MAX_LETTERS = 10_000;
const MAX_PAYLOAD = 4_096;

export interface DeadLetter {
  /** Where it was found: a queue, or the results stream. */
  readonly source: string;
  /** Empty when what could not be read does not say. */
  readonly sweep: string;
  readonly reason: string;
  /** What could not be used, as text; clipped. */
  readonly payload: string;
}

/** Messages that do not fit their schemas, with the reason. Counted for good, kept for a while. */
export class DeadLetters {
  readonly #redis: RedisClient;
  readonly #keys: Keys;

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  async add(letter: DeadLetter): Promise<void> {
    const fields = { ...letter, payload: letter.payload.slice(0, MAX_PAYLOAD) };
    await this.#redis.xadd(
      this.#keys.deadLetters,
      ...['MAXLEN', '~', String(MAX_LETTERS)],
      ...['*', ...Object.entries(fields).flat()],
    );
    await this.#redis.hincrby(this.#keys.deadLetterCount, letter.sweep, 1);
  }

  async count(sweep: string): Promise<number> {
    return Number((await this.#redis.hget(this.#keys.deadLetterCount, sweep)) ?? 0);
  }
}
