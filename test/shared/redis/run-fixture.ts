import type { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { createRedis, redisOptionsFromUrl } from '../../../shared/redis/connection.ts';
import { createKeys, type Keys } from '../../../shared/redis/keys.ts';
import { type EpochRef, type Refused, RunStore } from '../../../shared/redis/run-store.ts';
import type { Problem } from '../../../shared/schemas/problem.ts';
import { type Push, pushSchema } from '../../../shared/schemas/push.ts';
import type { RunResult } from '../../../shared/schemas/run-result.ts';
import type { Step } from '../../../shared/schemas/step.ts';
import { verdictOn } from '../../support/pipeline.ts';
import { buildRunResult } from '../../support/run-result.ts';
import { testRedis } from '../../support/redis.ts';

export const problem: Problem = { query: 'What is 6 times 7?', asksForSteps: true };
export const run = { sweep: 'sweep-1', place: 3 };

export interface RunFixture {
  readonly url: string;
  readonly redis: Redis;
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

export function buildStep(index: number, overrides: Partial<Step> = {}): Step {
  return { index, channel: 'reasoning', text: `Step ${index}.`, tokens: 10, endedAtMs: 1_000, ...overrides };
}

export function buildSteps(count: number): Step[] {
  return Array.from({ length: count }, (_, index) => buildStep(index));
}

export function resultOf(epoch: EpochRef): RunResult {
  return buildRunResult({ sweep: epoch.sweep, place: epoch.place, epoch: epoch.epoch });
}

/** Every call that names an epoch, as its worker makes it. */
export const calls: Readonly<
  Record<string, (store: RunStore, epoch: EpochRef) => Promise<Refused | object | undefined>>
> = {
  watch: (store, epoch) => store.watch(epoch, 'watcher-1'),
  publish: (store, epoch) => store.publish(epoch, [buildStep(0)]),
  end: (store, epoch) => store.end(epoch, 0),
  'verdict of its watcher': (store, epoch) =>
    store.issueVerdicts(epoch, { watcher: 'watcher-1' }, [verdictOn({ index: 0 }, true)]),
  'verdict of its generator': (store, epoch) =>
    store.issueVerdicts(epoch, 'generator', [verdictOn({ index: 0 }, false)]),
  commit: (store, epoch) =>
    store.commit(epoch, { mode: 'unguarded', flagged: undefined, result: resultOf(epoch) }),
  look: (store, epoch) => store.look(epoch, { fromStep: 0, maxSteps: 10, verdictsOf: [0] }),
};

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
  subscriber.on('message', (_channel, message) => {
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
