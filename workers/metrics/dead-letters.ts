import type { Redis } from 'ioredis';

/** The stream keeps about this many; older ones go. */
const maxLength = 10_000;
const maxPayload = 4_096;

export interface DeadLetter {
  readonly sweep: string;
  readonly reason: string;
  /** What could not be used, as text; clipped. */
  readonly payload: string;
}

/** What came out of the results stream and could not be used, with its reason. */
export class DeadLetters {
  readonly #redis: Redis;
  readonly #key: string;

  constructor(redis: Redis, key: string) {
    this.#redis = redis;
    this.#key = key;
  }

  async add({ sweep, reason, payload }: DeadLetter): Promise<void> {
    const fields = { kind: 'result', sweep, reason, payload: payload.slice(0, maxPayload) };
    await this.#redis.xadd(this.#key, 'MAXLEN', '~', maxLength, '*', ...Object.entries(fields).flat());
  }

  /** How many of a sweep the stream still holds. */
  async count(sweep: string): Promise<number> {
    const entries = await this.#redis.xrange(this.#key, '-', '+');
    return entries.filter(
      ([, fields]) => fields[fields.indexOf('kind') + 1] === 'result' && isOf(fields, sweep),
    ).length;
  }
}

function isOf(fields: readonly string[], sweep: string): boolean {
  return fields.some((name, place) => place % 2 === 0 && name === 'sweep' && fields[place + 1] === sweep);
}
