import { onTestFinished } from 'vitest';
import { createRedis, redisOptionsFromUrl, type RedisClient } from '../../../shared/redis/connection.ts';
import { createKeys, type Keys } from '../../../shared/redis/keys.ts';
import { type EpochRef, RunStore } from '../../../shared/redis/run-store.ts';
import type { Problem } from '../../../shared/schemas/problem.ts';
import { type Push, pushSchema } from '../../../shared/schemas/push.ts';
import { testRedis } from '../../support/redis.ts';

export const problem: Problem = { query: 'What is 6 times 7?', asksForSteps: true };
export const run = { sweep: 'sweep-1', place: 3 };

export interface RunFixture {
  readonly url: string;
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly store: RunStore;
  /** Begins an epoch of `run`; the generator is `gen-` and the token. */
  readonly start: (token: string, wasted?: number) => Promise<EpochRef>;
  /** All that stands in Redis of the run, to compare. */
  readonly dump: () => Promise<unknown>;
}

/** A run in Redis that has not started. */
export function createRunFixture(): RunFixture {
  const { url, prefix, redis } = testRedis();
  const keys = createKeys(prefix);
  const store = new RunStore(redis, keys);
  const names = keys.run(run.sweep, run.place);
  return {
    ...{ url, redis, keys, store },
    start: async (token, wasted) => {
      const options = { token, generator: `gen-${token}`, problem, ...(wasted !== undefined && { wasted }) };
      const started = await store.start(run, options);
      if ('result' in started) throw new Error('the run is committed');
      return { ...run, epoch: started.epoch, token };
    },
    dump: async () => ({
      run: await redis.hgetall(names.run),
      steps: await redis.lrange(names.steps, 0, -1),
      verdicts: await redis.hgetall(names.verdicts),
    }),
  };
}

export interface Ear {
  /** What has been pushed so far. */
  heard(): Promise<Push[]>;
}

/** Hears a worker's channel over a connection of its own. */
export async function listenTo(url: string, channel: string): Promise<Ear> {
  const subscriber = createRedis(redisOptionsFromUrl(url), 'subscriber');
  const publisher = createRedis(redisOptionsFromUrl(url), 'commands');
  onTestFinished(() => [subscriber, publisher].forEach((redis) => redis.disconnect()));
  const pushes: Push[] = [];
  let onMark: (() => void) | undefined;
  subscriber.on('message', (_channel: string, message: string) => {
    if (message === 'mark') onMark?.();
    else pushes.push(pushSchema.parse(JSON.parse(message)));
  });
  await subscriber.subscribe(channel);
  return {
    // Messages of a channel keep their order: what was pushed before the mark is here when it is.
    heard: async () => {
      const marked = new Promise<void>((resolve) => (onMark = resolve));
      await publisher.publish(channel, 'mark');
      await marked;
      return [...pushes];
    },
  };
}
