import { once } from 'node:events';
import { Writable } from 'node:stream';
import { type Job, Queue, QueueEvents, Worker } from 'bullmq';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { HaltlineError } from '../../../shared/errors.ts';
import { createRedis, redisOptionsFromUrl } from '../../../shared/redis/connection.ts';
import { DeadLetters } from '../../../shared/redis/dead-letters.ts';
import { parseJob, withJobErrors } from '../../../shared/redis/job-error.ts';
import { createKeys } from '../../../shared/redis/keys.ts';
import { MESSAGE_VERSION, type WatchJob, watchJobSchema } from '../../../shared/schemas/job.ts';
import { testRedis } from '../../support/redis.ts';

const valid: WatchJob = { v: MESSAGE_VERSION, sweep: 's', place: 1, epoch: 1, token: 't', monitor: 'rules' };
const persistent = { attempts: 5, backoff: { type: 'fixed', delay: 10 } };

/** A queue of watch jobs, and a worker with one slot that does `work` on those that fit. */
async function serve(work: (data: WatchJob) => Promise<void> = () => Promise.resolve()) {
  const { url, prefix, redis } = testRedis();
  const keys = createKeys(prefix);
  const warnings: string[] = [];
  const sink = new Writable({
    write(line: Buffer, _encoding, done) {
      warnings.push(line.toString());
      done();
    },
  });
  const log = pino({ level: 'warn' }, sink);
  const base = { connection: redis, prefix: keys.queuePrefix };
  const queue = new Queue<unknown>(keys.monitorQueue, base);
  const events = new QueueEvents(keys.monitorQueue, {
    connection: createRedis(redisOptionsFromUrl(url), 'blocking'),
    prefix: keys.queuePrefix,
  });
  await events.waitUntilReady();
  const worker = new Worker<unknown>(
    keys.monitorQueue,
    (job: Job<unknown>, token = '') =>
      withJobErrors({ job, token, redis, keys, log }, () => work(parseJob(watchJobSchema, job))),
    { ...base, concurrency: 1 },
  );
  onTestFinished(async () => {
    await worker.close();
    await events.close();
    await queue.close();
  });
  return { redis, keys, queue, events, worker, warnings };
}

test.each([
  ['a field is missing', { ...valid, token: undefined }, 'token'],
  ['a field is of another type', { ...valid, place: 'first' }, 'place'],
  ['it has no version', { ...valid, v: undefined }, 'v'],
  ['it is of an older version', { ...valid, v: 0 }, 'v'],
  ['a field is unknown', { ...valid, extra: 1 }, 'extra'],
  ['it is no object', null, 'object'],
])('a job is put aside, counted and not tried again when %s', async (_name, data, named) => {
  const { redis, keys, queue, events, worker } = await serve();
  const job = await queue.add('watch', data, persistent);
  await expect(job.waitUntilFinished(events)).rejects.toThrow(named);
  const stored = await queue.getJob(job.id ?? '');
  expect([stored?.attemptsMade, stored?.attemptsStarted]).toEqual([1, 1]);
  const sweep = data?.sweep ?? '';
  expect(await new DeadLetters(redis, keys).count(sweep)).toBe(1);
  const letters = await redis.xrange(keys.deadLetters, '-', '+');
  expect(letters).toHaveLength(1);
  const [source, queueName, , ofSweep, reason, why, payload, text] = letters[0]?.[1] ?? [];
  expect([source, queueName, ofSweep]).toEqual(['source', keys.monitorQueue, sweep]);
  expect([reason, why]).toEqual(['reason', expect.stringContaining(named)]);
  expect([payload, text]).toEqual(['payload', JSON.stringify(data)]);
  expect(worker.isRunning()).toBe(true);
});

test('a long payload is kept clipped', async () => {
  const { redis, keys, queue, events } = await serve();
  const job = await queue.add('watch', { ...valid, extra: 'x'.repeat(100_000) }, persistent);
  await expect(job.waitUntilFinished(events)).rejects.toThrow();
  const [letter] = await redis.xrange(keys.deadLetters, '-', '+');
  expect(letter?.[1].at(-1)).toHaveLength(4_096);
});

test('a job of a newer version waits about 5 s, uses no attempt, and holds nobody up', async () => {
  const { redis, keys, queue, events, worker, warnings } = await serve();
  const newer = [
    await queue.add('watch', { v: 2, whatever: 'it holds' }, persistent),
    await queue.add('watch', { v: 3 }, persistent),
  ];
  const other = await queue.add('watch', valid, persistent);
  await other.waitUntilFinished(events);
  expect(worker.concurrency).toBe(1);
  for (const job of newer) {
    const stored = await queue.getJob(job.id ?? '');
    expect([await stored?.getState(), stored?.attemptsMade]).toEqual(['delayed', 0]);
    const waitMs = (stored?.delay ?? 0) + (stored?.timestamp ?? 0) - Date.now();
    expect(waitMs).toBeGreaterThan(0);
    expect(stored?.delay).toBeGreaterThanOrEqual(4_900);
    expect(stored?.delay).toBeLessThan(6_000);
  }
  expect(await redis.xlen(keys.deadLetters)).toBe(0);
  expect(warnings.filter((line) => line.includes('job-newer'))).toHaveLength(1);
});

test('a job of a newer version is taken by a newer worker when its time has come', async () => {
  const { queue } = await serve();
  const job = await queue.add('watch', { v: 2 }, persistent);
  await expect.poll(async () => (await queue.getJob(job.id ?? ''))?.getState()).toBe('delayed');
  await expect
    .poll(async () => (await queue.getJob(job.id ?? ''))?.attemptsStarted, { timeout: 20_000 })
    .toBeGreaterThan(1);
  expect((await queue.getJob(job.id ?? ''))?.attemptsMade).toBe(0);
});

test.each([
  ['an error of another code', new HaltlineError('REDIS_UNAVAILABLE', 'away')],
  ['any other error', new Error('boom')],
])('%s is tried again and is no dead letter', async (_name, error) => {
  let tries = 0;
  const { redis, keys, queue, worker } = await serve(() => {
    tries += 1;
    return tries < 3 ? Promise.reject(error) : Promise.resolve();
  });
  const completed = once(worker, 'completed');
  await queue.add('watch', valid, persistent);
  await completed;
  expect(tries).toBe(3);
  expect(await redis.xlen(keys.deadLetters)).toBe(0);
});

test('a job that fits is typed', async () => {
  const seen: WatchJob[] = [];
  const { queue, events } = await serve((data) => {
    seen.push(data);
    return Promise.resolve();
  });
  await (await queue.add('watch', valid)).waitUntilFinished(events);
  expect(seen).toEqual([valid]);
});
