import { once } from 'node:events';
import { type Job, Queue, QueueEvents, WaitingError, Worker } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { createRedis, redisOptionsFromUrl } from '../../../shared/redis/connection.ts';
import { closeWorkers } from '../../../shared/redis/worker-shutdown.ts';
import { testRedis } from '../../support/redis.ts';

const name = 'jobs';

function createQueue() {
  const { url, prefix, redis } = testRedis();
  const queue = new Queue(name, { connection: redis, prefix });
  const events = new QueueEvents(name, {
    connection: createRedis(redisOptionsFromUrl(url), 'blocking'),
    prefix,
  });
  onTestFinished(async () => {
    await events.close();
    await queue.close();
  });
  const startWorker = (process: (job: Job, token: string, signal?: AbortSignal) => Promise<unknown>) => {
    const connection = createRedis(redisOptionsFromUrl(url), 'commands');
    // With three parameters: only then BullMQ makes a signal.
    const worker = new Worker(name, (job, token, signal) => process(job, token ?? '', signal), {
      ...{ connection, prefix, concurrency: 3, drainDelay: 1 },
      ...{ lockDuration: 1_000, stalledInterval: 300, maxStalledCount: 10 },
    });
    worker.on('error', () => undefined);
    onTestFinished(() => connection.disconnect());
    return { worker, connection };
  };
  return { queue, events, startWorker };
}

/** Runs until it is told to stop, then hands the job back. */
async function runUntilStopped(job: Job, token: string, signal: AbortSignal | undefined): Promise<never> {
  if (signal && !signal.aborted) await once(signal, 'abort');
  await job.moveToWait(token);
  throw new WaitingError();
}

async function untilActive(queue: Queue, count: number): Promise<void> {
  await expect.poll(() => queue.getActiveCount(), { interval: 10 }).toBe(count);
}

test('running jobs are handed back and done by another worker, not again by the closing one', async () => {
  const { queue, events, startWorker } = createQueue();
  const starts: string[] = [];
  const { worker: closing } = startWorker((job, token, signal) => {
    starts.push(job.id ?? '');
    return runUntilStopped(job, token, signal);
  });
  const jobs = await queue.addBulk([1, 2, 3, 4, 5].map((n) => ({ name: 'run', data: { n } })));
  await untilActive(queue, 3);
  await closeWorkers([closing]);
  expect(starts).toHaveLength(3);
  expect(await queue.getActiveCount()).toBe(0);
  const { worker: other } = startWorker((job) => Promise.resolve(job.id));
  for (const job of jobs) {
    expect(await job.waitUntilFinished(events)).toBe(job.id);
    expect((await queue.getJob(job.id ?? ''))?.attemptsMade).toBe(1);
  }
  expect(starts).toHaveLength(3);
  await closeWorkers([other]);
});

test('a worker with free slots, waiting for jobs, does not fetch the one that it hands back', async () => {
  const { queue, startWorker } = createQueue();
  const starts: string[] = [];
  const { worker } = startWorker((job, token, signal) => {
    starts.push(job.id ?? '');
    return runUntilStopped(job, token, signal);
  });
  await worker.waitUntilReady();
  const job = await queue.add('run', {});
  await untilActive(queue, 1);
  await closeWorkers([worker]);
  expect(starts).toEqual([job.id]);
  expect(await job.getState()).toBe('waiting');
});

test('another worker that is there already takes the jobs', async () => {
  const { queue, events, startWorker } = createQueue();
  let starts = 0;
  const { worker: closing } = startWorker((job, token, signal) => {
    starts += 1;
    return runUntilStopped(job, token, signal);
  });
  const jobs = await queue.addBulk([1, 2, 3].map((n) => ({ name: 'run', data: { n } })));
  await untilActive(queue, 3);
  const { worker: other } = startWorker(() => Promise.resolve('other'));
  await closeWorkers([closing]);
  for (const job of jobs) expect(await job.waitUntilFinished(events)).toBe('other');
  expect(starts).toBe(3);
  await closeWorkers([other]);
});

test('a job that ends by itself while its worker closes is done', async () => {
  const { queue, events, startWorker } = createQueue();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const { worker } = startWorker(() => released.then(() => 'done'));
  const job = await queue.add('run', {});
  await untilActive(queue, 1);
  const closed = closeWorkers([worker]);
  release();
  await closed;
  expect(await job.waitUntilFinished(events)).toBe('done');
});

test('closing is bounded when a processor ignores its signal, and another worker takes its job over', async () => {
  const { queue, events, startWorker } = createQueue();
  const { worker, connection } = startWorker(() => new Promise(() => undefined));
  const { worker: idle } = startWorker(() => new Promise(() => undefined));
  await idle.pause(true);
  const job = await queue.add('run', {});
  await untilActive(queue, 1);
  await closeWorkers([worker, idle], { maxMs: 300 });
  expect(await queue.getActiveCount()).toBe(1);
  connection.disconnect();
  const { worker: other } = startWorker(() => Promise.resolve('other'));
  expect(await job.waitUntilFinished(events)).toBe('other');
  await closeWorkers([other]);
});

test('closing no worker is no error', async () => {
  await expect(closeWorkers([])).resolves.toBeUndefined();
});
