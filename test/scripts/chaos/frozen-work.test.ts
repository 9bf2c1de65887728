import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdsOf, readLogOf, lostOf } from '../../../scripts/chaos/frozen-work.ts';
import { createKeys } from '../../../shared/redis/keys.ts';
import { RunStore } from '../../../shared/redis/run-store.ts';
import { SweepStore } from '../../../shared/redis/sweep-store.ts';
import { testRedis } from '../../support/redis.ts';
import { buildStep, resultOf } from '../../support/run-calls.ts';

const problem = { query: 'q', asksForSteps: true };

async function logOf(entries: readonly unknown[]): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'haltline-test-')), 'worker.log');
  await writeFile(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join('') + '{"pid":7,"cut');
  return file;
}

test('a worker holds the runs that name it, and those that another begins anew meanwhile are taken', async () => {
  const { redis, prefix } = testRedis();
  const keys = createKeys(prefix);
  const store = new RunStore(redis, keys);
  const start = (place: number, token: string, generator: string) =>
    store.start({ sweep: 's', place }, { token, generator, problem });
  const logFile = await logOf([
    { pid: 6, event: 'worker-started', worker: 'generation-b' },
    { pid: 7, event: 'worker-started', worker: 'generation-a' },
  ]);
  for (const place of [1, 2, 3]) await start(place, `t${String(place)}`, 'generation-a');
  await start(4, 't4', 'generation-b');
  const epoch = { sweep: 's', place: 3, epoch: 1, token: 't3' };
  await store.commit(epoch, { result: resultOf(epoch), mode: 'unguarded', flagged: undefined });

  const holds = await holdsOf(redis, keys, { kind: 'generation', pid: 7, logFile });
  expect(holds.map(({ key }) => key).toSorted()).toEqual([1, 2].map((place) => keys.run('s', place).run));
  const lost = async () => {
    const { taken, gone } = await lostOf(redis, 'generation', holds);
    return { taken: taken.map(({ key }) => key), gone: gone.map(({ key }) => key) };
  };
  expect(holds.map(({ epoch }) => epoch)).toEqual([1, 1]);
  expect(await lost()).toEqual({ taken: [], gone: [] });
  await start(2, 't5', 'generation-b');
  expect(await lost()).toEqual({ taken: [keys.run('s', 2).run], gone: [] });
  await store.delete({ sweep: 's', place: 2 });
  expect(await lost()).toEqual({ taken: [], gone: [keys.run('s', 2).run] });
});

test('a watch is held until its chain is in or flagged, and taken by another watcher or another epoch', async () => {
  const { redis, prefix } = testRedis();
  const keys = createKeys(prefix);
  const store = new RunStore(redis, keys);
  const logFile = await logOf([{ pid: 7, event: 'worker-started', worker: 'monitor-a' }]);
  for (const place of [1, 2, 3]) {
    const epoch = { sweep: 's', place, epoch: 1, token: `t${String(place)}` };
    await store.start(epoch, { token: epoch.token, generator: 'generation-a', problem });
    await store.watch(epoch, 'monitor-a');
    await store.publish(epoch, [buildStep(0)], place === 3 ? { ended: 1 } : {});
  }
  const holds = await holdsOf(redis, keys, { kind: 'monitor', pid: 7, logFile });
  expect(holds.map(({ key }) => key).toSorted()).toEqual([1, 2].map((place) => keys.run('s', place).run));
  await store.watch({ sweep: 's', place: 1, epoch: 1, token: 't1' }, 'monitor-b');
  const { taken } = await lostOf(redis, 'monitor', holds);
  expect(taken.map(({ key }) => key)).toEqual([keys.run('s', 1).run]);
});

test('a metrics worker holds the leases whose tokens its log names', async () => {
  const { redis, prefix } = testRedis();
  const keys = createKeys(prefix);
  const sweeps = new SweepStore(redis, keys);
  const logFile = await logOf([{ pid: 7, event: 'sweep-taken', lease: 'mine' }]);
  await sweeps.hold('s', 'metrics', 'mine');
  await sweeps.hold('other', 'metrics', 'not-mine');
  const holds = await holdsOf(redis, keys, { kind: 'metrics', pid: 7, logFile });
  expect(holds).toEqual([{ key: keys.sweep('s').metricsLease, value: 'mine' }]);
  await sweeps.release('s', 'metrics', 'mine');
  await sweeps.hold('s', 'metrics', 'yours');
  expect((await lostOf(redis, 'metrics', holds)).taken).toEqual(holds);
});

test('a log is read by process, a line cut by kill -9 left out', async () => {
  const logFile = await logOf([{ pid: 6, event: 'a' }, { pid: 7, event: 'b' }, 'not an entry']);
  expect(await readLogOf({ kind: 'monitor', pid: 7, logFile })).toEqual([{ pid: 7, event: 'b' }]);
});
