import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { createRedis, redisOptionsFromUrl, type RedisClient } from '../../shared/redis/connection.ts';
import { createKeys } from '../../shared/redis/keys.ts';
import { summarySchema } from '../../shared/schemas/summary.ts';
import { readRunLines } from '../support/processes.ts';
import { ownRedis } from '../support/redis.ts';
import { prepareSweep, type SweepProcesses, type WorkerKind } from '../support/sweep-processes.ts';

const builtIn = fileURLToPath(new URL('../../producers/datasets/built-in/arithmetic.jsonl', import.meta.url));
const plan = {
  name: 'shutdown',
  attacks: ['badchain', 'deadlock'],
  datasets: [{ id: 'arithmetic', path: builtIn, limit: 10 }],
  more: { limits: { attempts: 1 } },
};

/**
 * A worker that ended with 0 has handed everything back within its 10 s: it ends with 1 when that time is over. No
 * other worker of its kind runs meanwhile, so a second epoch before the next one is there would be its own.
 */
test(
  'SIGTERM under load: each kind of worker hands over what it had, takes nothing again, and the next one ends the sweep',
  { timeout: 300_000 },
  async () => {
    const redis = await ownRedis();
    const keys = createKeys('hl');
    const client = createRedis(redisOptionsFromUrl(redis.url), 'commands');
    onTestFinished(() => client.disconnect());
    const active = async (name: string): Promise<number> => {
      const queue = new Queue(name, { connection: client, prefix: keys.queuePrefix });
      const count = await queue.getActiveCount();
      await queue.close();
      return count;
    };
    const sweep = await prepareSweep(redis.url, { tokensPerSecond: 60 }, plan);
    for (const kind of ['generation', 'monitor', 'metrics'] as const) sweep.startWorker(kind);
    const producer = sweep.produce();

    await underLoad(sweep);
    await endCleanly(sweep, 'generation');
    for (const target of ['instruct', 'backdoored'])
      expect(await active(keys.generationQueue(target))).toBe(0);
    await expect.poll(() => sweep.simulator.openRequests()).toBe(0);
    const epochs = await epochsUnderWay(client);
    expect(epochs.length).toBeGreaterThanOrEqual(12);
    expect(new Set(epochs)).toEqual(new Set(['1']));
    sweep.startWorker('generation');

    await underLoad(sweep);
    await endCleanly(sweep, 'monitor');
    expect(await active(keys.monitorQueue)).toBe(0);
    sweep.startWorker('monitor');

    await underLoad(sweep);
    await endCleanly(sweep, 'metrics');
    const [id = ''] = await client.smembers(keys.liveSweeps);
    expect(await client.exists(keys.sweep(id).metricsLease)).toBe(0);
    sweep.startWorker('metrics');

    expect(await producer.ended, producer.stderr()).toBe(0);
    const summary = summarySchema.parse(JSON.parse(producer.stdout()));
    const lines = await readRunLines(join(sweep.resultsDir, summary.sweep, 'runs.jsonl'));
    expect(lines.map(({ place }) => place).sort((a, b) => a - b)).toEqual([...lines.keys()]);
    expect(lines).toHaveLength(summary.counts.total);
    expect(lines.filter(({ outcome }) => outcome.status === 'failed')).toEqual([]);
    expect(lines.filter(({ epoch }) => epoch > 1)).not.toHaveLength(0);
    expect(lines.filter(({ timing }) => timing.crashRestart)).toEqual([]);
    expect(lines.filter(({ outcome }) => 'reason' in outcome && outcome.reason === 'monitor_error')).toEqual(
      [],
    );
  },
);

async function underLoad(sweep: SweepProcesses): Promise<void> {
  await expect
    .poll(() => sweep.simulator.openRequests(), { timeout: 60_000, interval: 20 })
    .toBeGreaterThanOrEqual(12);
}

async function endCleanly({ workers }: SweepProcesses, kind: WorkerKind): Promise<void> {
  const [worker] = workers[kind];
  worker?.kill('SIGTERM');
  expect(await worker?.ended, worker?.stderr()).toBe(0);
  workers[kind].shift();
}

/** The epoch of each run whose keys stand. */
async function epochsUnderWay(client: RedisClient): Promise<(string | null)[]> {
  const runs = await client.keys('hl:run:*:run');
  return Promise.all(runs.map((run) => client.hget(run, 'epoch')));
}
