import { once } from 'node:events';
import { Worker } from 'bullmq';
import { z } from 'zod';
import { createRedis, redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { createKeys } from '../../shared/redis/keys.ts';
import { type EpochRef, RunStore } from '../../shared/redis/run-store.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { buildStep, calls } from './run-calls.ts';

/*
 * A worker process that a test freezes, outlives, and wakes. It takes one job, starts its epoch as generator, watches it
 * as monitor, publishes a step, holds the metrics lease, and reports. Then it waits; each message names a call to make
 * with what it held, and is answered with what came of it.
 */

const argumentsSchema = z.tuple([z.string(), z.string(), z.string(), z.coerce.number()]);
const [url, prefix, sweep, lockDuration] = argumentsSchema.parse(process.argv.slice(2));

const redis = createRedis(redisOptionsFromUrl(url), 'commands');
const keys = createKeys(prefix);
const store = new RunStore(redis, keys);
const sweeps = new SweepStore(redis, keys);
const token = 'token-of-the-zombie';
const run = { sweep, place: 0 };

async function begin(): Promise<EpochRef> {
  const started = await store.start(run, {
    token,
    generator: 'zombie',
    problem: { query: 'q', asksForSteps: true },
  });
  if ('result' in started) throw new Error('the run is committed');
  const epoch = { ...run, epoch: started.epoch, token };
  await store.watch(epoch, 'watcher-1');
  await store.publish(epoch, [buildStep(0, { tokens: 25 })]);
  await sweeps.hold(sweep, 'metrics', token);
  return epoch;
}

async function call(name: string, epoch: EpochRef): Promise<unknown> {
  if (name === 'start') return store.start(run, { token, generator: 'zombie' });
  if (name === 'settle') return sweeps.settle(sweep, token, { places: [0], entries: [] });
  if (name === 'hold') return sweeps.hold(sweep, 'metrics', token);
  if (name === 'book') return store.book(run, { calls: 1, tokensIn: 5, tokensOut: 2, tokensCached: 0 });
  return calls[name]?.(store, epoch);
}

const worker = new Worker(
  keys.generationQueue('sim'),
  async (): Promise<void> => {
    const epoch = await begin();
    process.on('message', (message) => {
      void call(z.string().parse(message), epoch).then((answer) =>
        process.send?.({ answer: answer ?? null }),
      );
    });
    process.send?.({ epoch });
    await once(process, 'disconnect');
  },
  { connection: redis, prefix: keys.queuePrefix, lockDuration, skipStalledCheck: true },
);
worker.on('error', () => undefined);
process.on('disconnect', () => process.exit());
