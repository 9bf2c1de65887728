import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Queue, type QueueOptions, Worker } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createKeys } from '../../shared/redis/keys.ts';
import { type EpochRef, RunStore } from '../../shared/redis/run-store.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { testRedis } from '../support/redis.ts';
import { buildStep, resultOf } from '../support/run-calls.ts';

const program = fileURLToPath(new URL('../support/zombie-process.ts', import.meta.url));
const lockMs = 1_000;
const sweep = 'sweep-1';
const run = { sweep, place: 0 };

const startedSchema = z.object({
  epoch: z.object({ sweep: z.string(), place: z.number(), epoch: z.number(), token: z.string() }),
});
const answerSchema = z.object({ answer: z.unknown() });

/** A worker process with a run of its own, frozen past its lock and outlived by another worker; not yet woken. */
async function freezeWorker() {
  const { url, prefix, redis } = testRedis();
  const keys = createKeys(prefix);
  const store = new RunStore(redis, keys);
  const sweeps = new SweepStore(redis, keys);
  const base = { connection: redis, prefix: keys.queuePrefix };
  const queue = new Queue(keys.generationQueue('sim'), base);
  await queue.add('run', {}, { attempts: 5 });
  const child = fork(program, [url, prefix, sweep, String(lockMs)], {
    execPath: process.execPath,
    execArgv: ['--import', 'tsx'],
  });
  onTestFinished(async () => {
    const exited = once(child, 'exit');
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await exited;
    await queue.close();
  });
  const old = startedSchema.parse(await nextMessage(child)).epoch;
  child.kill('SIGSTOP');
  const epoch = await takeOver(keys.generationQueue('sim'), base, store);
  const names = keys.run(run.sweep, run.place);
  return {
    ...{ redis, keys, store, sweeps, old, epoch },
    /** Wakes the zombie (if it sleeps), which makes the call named with what it held; answers what came of it. */
    ask: async (name: string): Promise<unknown> => {
      child.kill('SIGCONT');
      const answer = nextMessage(child);
      child.send(name);
      return answerSchema.parse(await answer).answer;
    },
    dump: async () => ({
      run: await redis.hgetall(names.run),
      steps: await redis.lrange(names.steps, 0, -1),
      verdicts: await redis.hgetall(names.verdicts),
    }),
  };
}

/** Another worker gets the job once the lock has run out, and starts the run anew. */
async function takeOver(name: string, base: QueueOptions, store: RunStore): Promise<EpochRef> {
  const token = 'token-of-the-other';
  return new Promise((resolve, reject) => {
    const worker = new Worker(
      name,
      async () => {
        const started = await store.start(run, {
          token,
          generator: 'other',
          problem: { query: 'q', asksForSteps: true },
        });
        if ('result' in started) throw new Error('the run is committed');
        const epoch = { ...run, epoch: started.epoch, token };
        await store.watch(epoch, 'watcher-2');
        await store.publish(epoch, [buildStep(0)]);
        resolve(epoch);
      },
      { ...base, lockDuration: lockMs, stalledInterval: 200, maxStalledCount: 10 },
    );
    worker.on('error', reject);
    onTestFinished(() => worker.close());
  });
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const messages: unknown[] = await once(child, 'message');
  return messages[0];
}

test.each([
  'publish',
  'end',
  'verdict of its watcher',
  'verdict of its generator',
  'watch',
  'look',
  'commit',
])('a woken worker is refused, and changes nothing: %s', async (name) => {
  const { ask, dump, old, epoch, store } = await freezeWorker();
  expect([old.epoch, epoch.epoch]).toEqual([1, 2]);
  const before = await dump();
  expect(await ask(name)).toEqual({ refused: 'stale' });
  expect(await dump()).toEqual(before);
  expect(
    await store.commit(epoch, { mode: 'unguarded', flagged: undefined, result: resultOf(epoch) }),
  ).toBeUndefined();
  expect(await ask(name)).toEqual({ refused: 'stale' });
  expect((await store.read(run))?.result.epoch).toBe(2);
});

test('a woken worker whose start is sent again takes nothing over, and what it wrote counts as wasted', async () => {
  const { ask, dump } = await freezeWorker();
  const before = await dump();
  expect(before.run['wasted']).toBe('25');
  expect(await ask('start')).toEqual({ epoch: 1, wasted: 0, crashed: false });
  expect(await dump()).toEqual(before);
  expect(await ask('publish')).toEqual({ refused: 'stale' });
});

test('a woken worker does not bring a run back whose keys are deleted', async () => {
  const { ask, dump, store } = await freezeWorker();
  await store.delete(run);
  for (const name of ['publish', 'end', 'verdict of its watcher', 'commit', 'watch', 'book']) {
    expect(await ask(name)).toEqual({ refused: 'gone' });
  }
  expect(await dump()).toEqual({ run: {}, steps: [], verdicts: {} });
});

test('what a woken worker spent is booked all the same', async () => {
  const { ask, store, epoch } = await freezeWorker();
  expect(await ask('book')).toBeNull();
  await store.commit(epoch, { mode: 'unguarded', flagged: undefined, result: resultOf(epoch) });
  expect((await store.read(run))?.monitorUse).toEqual({
    ...{ calls: 1, tokensIn: 5, tokensOut: 2, tokensCached: 0 },
  });
});

test('a woken metrics worker settles nothing once another holds the lease', async () => {
  const { ask, redis, keys, sweeps } = await freezeWorker();
  await redis.pexpire(keys.sweep(sweep).metricsLease, 1);
  await expect.poll(() => sweeps.hold(sweep, 'metrics', 'other')).toBe(true);
  expect(await ask('settle')).toBe(false);
  expect(await ask('hold')).toBe(false);
  expect(await sweeps.countDone(sweep)).toBe(0);
  expect(await sweeps.settle(sweep, 'other', { places: [0], entries: [] })).toBe(true);
});
