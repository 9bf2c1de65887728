import process from 'node:process';
import { pino } from 'pino';
import { z } from 'zod';
import { createRedis, redisOptionsFromUrl } from '../../../shared/redis/connection.ts';
import { createKeys } from '../../../shared/redis/keys.ts';
import { RunStore } from '../../../shared/redis/run-store.ts';
import { SweepStore } from '../../../shared/redis/sweep-store.ts';
import { DeadLetters } from '../../../shared/redis/dead-letters.ts';
import { ResultStream } from '../../../workers/metrics/result-stream.ts';
import { ServedSweep } from '../../../workers/metrics/serve-sweep.ts';
import { SweepFolder } from '../../../workers/metrics/sweep-folder.ts';

/*
 * A metrics worker for one sweep that kills itself with SIGKILL right after one of its writes. It is told by its only
 * argument, JSON.
 */
export const crashPoints = ['appendChains', 'appendLines', 'sync', 'marks', 'delete', 'entries'] as const;
export const crashOrderSchema = z.object({
  url: z.string(),
  prefix: z.string(),
  sweep: z.string(),
  resultsDir: z.string(),
  after: z.enum(crashPoints),
});

const order = crashOrderSchema.parse(JSON.parse(process.argv[2] ?? ''));
const keys = createKeys(order.prefix);
const redis = createRedis(redisOptionsFromUrl(order.url), 'commands');
const blocking = createRedis(redisOptionsFromUrl(order.url), 'blocking');

function dieAfter(point: (typeof crashPoints)[number]): void {
  if (point === order.after) process.kill(process.pid, 'SIGKILL');
}

class DyingStore extends SweepStore {
  override async settle(...parameters: Parameters<SweepStore['settle']>): Promise<boolean> {
    const isSettled = await super.settle(...parameters);
    dieAfter(parameters[2].entries.length > 0 ? 'entries' : 'marks');
    return isSettled;
  }
}

class DyingRuns extends RunStore {
  override async delete(...parameters: Parameters<RunStore['delete']>): Promise<void> {
    await super.delete(...parameters);
    dieAfter('delete');
  }
}

async function openDyingFolder(...parameters: Parameters<typeof SweepFolder.open>): Promise<SweepFolder> {
  const folder = await SweepFolder.open(...parameters);
  for (const point of ['appendChains', 'appendLines', 'sync'] as const) dieAfterCall(folder, point);
  return folder;
}

function dieAfterCall(folder: SweepFolder, point: 'appendChains' | 'appendLines' | 'sync'): void {
  const call: (...parameters: never[]) => Promise<unknown> = folder[point].bind(folder);
  Object.defineProperty(folder, point, {
    value: async (...parameters: never[]) => {
      const value = await call(...parameters);
      dieAfter(point);
      return value;
    },
  });
}

const store = new DyingStore(redis, keys);
const sweep = await store.read(order.sweep);
if (sweep === undefined) throw new Error('no such sweep');
const token = `crashing-${process.pid}`;
const served = await ServedSweep.take(sweep, {
  resultsDir: order.resultsDir,
  token,
  store,
  runs: new DyingRuns(redis, keys),
  stream: new ResultStream({ commands: redis, blocking }, keys.sweep(sweep.id).results, token),
  deadLetters: new DeadLetters(redis, keys),
  log: pino({ level: 'silent' }),
  openFolder: openDyingFolder,
});
if (served === undefined) throw new Error('the lease is held');
await served.run();
