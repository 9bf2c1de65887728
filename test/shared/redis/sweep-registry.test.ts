import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createKeys } from '../../../shared/redis/keys.ts';
import { type KnownSweep, SweepRegistry } from '../../../shared/redis/sweep-registry.ts';
import { SweepStore } from '../../../shared/redis/sweep-store.ts';
import type { LiveSweep } from '../../../shared/schemas/live-sweep.ts';
import { buildLiveSweep, createGate } from '../../support/pipeline.ts';
import { testRedis } from '../../support/redis.ts';
import { silentLog } from '../../support/silent-log.ts';

function sweepOf(id: string): LiveSweep {
  return { ...buildLiveSweep({ apiBaseUrl: 'http://127.0.0.1:1', spec: {}, total: 1 }), id };
}

/** A registry, and a way to wait for a look that answers as wished. */
async function watchSweeps(prepare: (store: SweepStore) => Promise<void> = () => Promise.resolve()) {
  const { prefix, redis } = testRedis();
  const keys = createKeys(prefix);
  const store = new SweepStore(redis, keys);
  const lines: string[] = [];
  const sink = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(line.toString());
      done();
    },
  });
  await prepare(store);
  const looks: (readonly KnownSweep[])[] = [];
  let onLook: () => void = () => undefined;
  const registry = await SweepRegistry.create(store, pino({ level: 'debug' }, sink), (sweeps) => {
    looks.push(sweeps.map((known) => ({ ...known })));
    onLook();
  });
  onTestFinished(() => registry.close());
  const nextLook = async (): Promise<readonly KnownSweep[]> => {
    await new Promise<void>((resolve) => (onLook = resolve));
    return looks.at(-1) ?? [];
  };
  const until = async (wanted: (sweeps: readonly KnownSweep[]) => boolean): Promise<void> => {
    while (!wanted(looks.at(-1) ?? [])) await nextLook();
  };
  return { redis, keys, store, registry, looks, lines, nextLook, until };
}

test('knows the live sweeps as soon as it is there', async () => {
  const { looks, registry } = await watchSweeps(async (store) => {
    await store.announce(sweepOf('one'));
    await store.announce(sweepOf('two'));
    await store.retire('two');
  });
  const known = { sweep: sweepOf('one'), status: 'running', backlogBytes: 0 };
  expect(looks).toMatchObject([[known]]);
  expect(looks[0]).toHaveLength(1);
  expect(await registry.get('one')).toMatchObject(known);
});

test('follows announcements, status, backlog and retirement', async () => {
  const { store, until } = await watchSweeps();
  await store.announce(sweepOf('one'));
  await until(([known]) => known?.status === 'running');
  await store.setStatus('one', 'paused');
  await until(([known]) => known?.status === 'paused');
  await store.send('one', { place: 0, epoch: 1, bytes: 77 });
  await until(([known]) => known?.backlogBytes === 77);
  await store.retire('one');
  await until((sweeps) => sweeps.length === 0);
});

test('reads a sweep that it has not looked at yet, and knows none that Redis does not', async () => {
  const { store, registry } = await watchSweeps();
  await store.announce(sweepOf('one'));
  await store.setStatus('one', 'paused');
  expect(await registry.get('one')).toMatchObject({ sweep: sweepOf('one'), status: 'paused' });
  expect(await registry.get('other')).toBeUndefined();
});

test('a sweep that does not fit is told of once, and the others are served', async () => {
  const { redis, keys, store, lines, registry, nextLook } = await watchSweeps(async (before) => {
    await before.announce(sweepOf('good'));
  });
  await store.announce(sweepOf('odd'));
  await redis.set(keys.sweep('odd').spec, '{"v":99}');
  await nextLook();
  await nextLook();
  expect((await nextLook()).map(({ sweep }) => sweep.id)).toEqual(['good']);
  expect(await registry.get('odd')).toBeUndefined();
  expect(lines.filter((line) => line.includes('sweep-unreadable'))).toHaveLength(1);
});

test('a look that fails leaves what was known', async () => {
  const { redis, keys, store, registry, lines, until } = await watchSweeps(async (before) => {
    await before.announce(sweepOf('one'));
  });
  await redis.set(keys.liveSweeps, 'no set');
  await redis.del(keys.sweep('one').spec);
  const failedLooks = () => lines.filter((line) => line.includes('sweeps-unreadable')).length;
  await expect.poll(failedLooks, { timeout: 10_000 }).toBeGreaterThan(1);
  expect(await registry.get('one')).toMatchObject({ status: 'running' });
  expect(lines.filter((line) => line.includes('sweep-unreadable'))).toHaveLength(0);
  await redis.del(keys.liveSweeps);
  await store.announce(sweepOf('two'));
  await until((sweeps) => sweeps.some(({ sweep }) => sweep.id === 'two'));
});

test('closed during a look it calls nobody', async () => {
  const { prefix, redis } = testRedis();
  const gate = createGate();
  const asked = createGate();
  class HeldStore extends SweepStore {
    looks = 0;
    override async liveSweeps(): Promise<string[]> {
      this.looks += 1;
      if (this.looks === 2) {
        asked.open();
        await gate.opened;
      }
      return [];
    }
  }
  let calls = 0;
  const store = new HeldStore(redis, createKeys(prefix));
  const registry = await SweepRegistry.create(store, silentLog, () => (calls += 1));
  await asked.opened;
  registry.close();
  gate.open();
  await redis.ping();
  expect([store.looks, calls]).toEqual([2, 1]);
});
