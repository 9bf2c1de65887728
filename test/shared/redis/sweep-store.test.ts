import { describe, expect, test } from 'vitest';
import type { RedisClient } from '../../../shared/redis/connection.ts';
import { createKeys, type SweepKeys } from '../../../shared/redis/keys.ts';
import { LEASE_MS, METRICS_GROUP, SweepStore } from '../../../shared/redis/sweep-store.ts';
import { buildLiveSweep } from '../../support/pipeline.ts';
import { testRedis } from '../../support/redis.ts';

const sweep = buildLiveSweep({ apiBaseUrl: 'http://127.0.0.1:1', spec: {}, total: 3 });
const id = sweep.id;

interface Fixture {
  readonly redis: RedisClient;
  readonly keys: SweepKeys;
  readonly liveKey: string;
  readonly store: SweepStore;
  /** Sends entries of 100 bytes for places 0, 1, ... and delivers them to the group; answers their ids. */
  readonly sendAll: (count: number) => Promise<string[]>;
  readonly dump: () => Promise<unknown>;
}

function createSweepFixture(): Fixture {
  const { redis, prefix } = testRedis();
  const keys = createKeys(prefix);
  const names = keys.sweep(id);
  const store = new SweepStore(redis, keys);
  return {
    ...{ redis, store, keys: names, liveKey: keys.liveSweeps },
    sendAll: async (count) => {
      await redis.xgroup('CREATE', names.results, METRICS_GROUP, '0', 'MKSTREAM').catch(() => undefined);
      await Promise.all(
        Array.from({ length: count }, (_, place) => store.send(id, { place, epoch: 1, bytes: 100 })),
      );
      await redis.xreadgroup('GROUP', METRICS_GROUP, 'one', 'COUNT', count, 'STREAMS', names.results, '>');
      return (await redis.xrange(names.results, '-', '+')).map(([entry]) => entry);
    },
    dump: async () => ({
      done: await redis.getBuffer(names.done),
      entries: await redis.xrange(names.results, '-', '+'),
      pending: await redis.xpending(names.results, METRICS_GROUP),
      bytes: await redis.get(names.backlogBytes),
    }),
  };
}

describe('a live sweep', () => {
  test('is announced, read, paused, retired and removed', async () => {
    const { redis, store, keys, liveKey } = createSweepFixture();
    expect(await store.read(id)).toBeUndefined();
    expect(await store.status(id)).toBeUndefined();
    await store.announce(sweep);
    expect(await store.liveSweeps()).toEqual([id]);
    expect(await store.read(id)).toEqual(sweep);
    expect(await store.status(id)).toBe('running');
    await store.setStatus(id, 'paused');
    expect(await store.status(id)).toBe('paused');
    await store.retire(id);
    expect(await store.liveSweeps()).toEqual([]);
    expect(await store.read(id)).toEqual(sweep);
    await store.remove(id);
    expect(await redis.exists(liveKey, ...Object.values<string>({ ...keys }))).toBe(0);
  });

  test('announced again it runs again', async () => {
    const { store } = createSweepFixture();
    await store.announce(sweep);
    await store.setStatus(id, 'cancelled');
    await store.announce(sweep);
    expect(await store.status(id)).toBe('running');
    expect(await store.liveSweeps()).toEqual([id]);
  });

  test('is ready only by the word of the present holder of its metrics lease', async () => {
    const { redis, store, keys } = createSweepFixture();
    await store.announce(sweep);
    expect(await store.isReady(id)).toBe(false);
    await store.hold(id, 'metrics', 'one');
    expect(await store.isReady(id)).toBe(false);
    await store.setReady(id, 'one');
    expect(await store.isReady(id)).toBe(true);
    await redis.del(keys.metricsLease);
    expect(await store.isReady(id)).toBe(false);
    await store.hold(id, 'metrics', 'two');
    expect(await store.isReady(id)).toBe(false);
  });

  test('says why it was refused until it is taken', async () => {
    const { store } = createSweepFixture();
    expect(await store.refusal(id)).toBeUndefined();
    await store.setRefusal(id, 'the folder is behind');
    expect(await store.refusal(id)).toBe('the folder is behind');
    await store.clearRefusal(id);
    expect(await store.refusal(id)).toBeUndefined();
  });
});

describe('a lease', () => {
  test('is held by one, renewed by that one, and refused to another', async () => {
    const { redis, store, keys } = createSweepFixture();
    expect(await store.hold(id, 'metrics', 'one')).toBe(true);
    await redis.pexpire(keys.metricsLease, 5);
    expect(await store.hold(id, 'metrics', 'one')).toBe(true);
    expect(await redis.pttl(keys.metricsLease)).toBeGreaterThan(LEASE_MS / 2);
    const before = await redis.get(keys.metricsLease);
    expect(await store.hold(id, 'metrics', 'two')).toBe(false);
    expect(await redis.get(keys.metricsLease)).toBe(before);
  });

  test('that runs out is free', async () => {
    const { redis, store, keys } = createSweepFixture();
    await store.hold(id, 'feeder', 'one');
    await redis.pexpire(keys.feederLease, 1);
    await expect.poll(() => store.hold(id, 'feeder', 'two')).toBe(true);
    expect(await store.hold(id, 'feeder', 'one')).toBe(false);
  });

  test('is given back by its holder alone', async () => {
    const { store } = createSweepFixture();
    await store.hold(id, 'metrics', 'one');
    await store.release(id, 'metrics', 'two');
    expect(await store.hold(id, 'metrics', 'two')).toBe(false);
    await store.release(id, 'metrics', 'one');
    await store.release(id, 'metrics', 'one');
    expect(await store.hold(id, 'metrics', 'two')).toBe(true);
  });

  test('of the feeder and that of the metrics worker are two', async () => {
    const { store } = createSweepFixture();
    expect(await store.hold(id, 'metrics', 'one')).toBe(true);
    expect(await store.hold(id, 'feeder', 'two')).toBe(true);
  });
});

describe('done marks', () => {
  test('are written and read a bit a place, highest bit first', async () => {
    const { store } = createSweepFixture();
    await store.writeDone(id, Uint8Array.of(0b1000_0001, 0, 0b0100_0000));
    expect(await Promise.all([0, 1, 7, 8, 17, 500].map((place) => store.isDone(id, place)))).toEqual([
      ...[true, false, true, false, true, false],
    ]);
    expect(await store.countDone(id)).toBe(3);
    expect([...(await store.readDone(id, 16, 2))]).toEqual([0b0100_0000, 0]);
    expect([...(await store.readDone(id, 80, 2))]).toEqual([0, 0]);
    await store.writeDone(id, new Uint8Array());
    expect(await store.countDone(id)).toBe(0);
  });
});

describe('send', () => {
  test('adds the entry and its bytes', async () => {
    const { redis, store, keys } = createSweepFixture();
    await store.send(id, { place: 7, epoch: 2, bytes: 1_234 });
    const entries = await redis.xrange(keys.results, '-', '+');
    expect(entries.map(([, fields]) => fields)).toEqual([['place', '7', 'epoch', '2', 'bytes', '1234']]);
    expect(await store.backlogBytes(id)).toBe(1_234);
  });
});

describe('settle', () => {
  test('marks places, drops entries and takes their bytes off', async () => {
    const { store, sendAll, dump } = createSweepFixture();
    const entries = await sendAll(3);
    await store.hold(id, 'metrics', 'one');
    expect(await store.settle(id, 'one', { places: [0, 2], entries: entries.slice(0, 2) })).toBe(true);
    expect(await dump()).toMatchObject({
      done: Buffer.from([0b1010_0000]),
      entries: [[entries[2], ['place', '2', 'epoch', '1', 'bytes', '100']]],
      pending: [1, entries[2], entries[2], [['one', '1']]],
      bytes: '100',
    });
  });

  test('sent again changes nothing: bytes come off once', async () => {
    const { store, sendAll, dump } = createSweepFixture();
    const entries = await sendAll(3);
    await store.hold(id, 'metrics', 'one');
    const batch = { places: [0, 1], entries: entries.slice(0, 2) };
    await store.settle(id, 'one', batch);
    const before = await dump();
    expect(await store.settle(id, 'one', batch)).toBe(true);
    expect(await dump()).toEqual(before);
  });

  test.each([
    ['is free', undefined],
    ['is held by another', 'two'],
  ])('changes nothing when the lease %s', async (_name, holder) => {
    const { store, sendAll, dump } = createSweepFixture();
    const entries = await sendAll(2);
    if (holder !== undefined) await store.hold(id, 'metrics', holder);
    const before = await dump();
    expect(await store.settle(id, 'one', { places: [0, 1], entries })).toBe(false);
    expect(await dump()).toEqual(before);
  });

  test('never brings the counter below zero', async () => {
    const { redis, store, sendAll, keys } = createSweepFixture();
    const entries = await sendAll(2);
    // What a lost second of Redis can leave: entries whose bytes were not counted.
    await redis.set(keys.backlogBytes, 150);
    await store.hold(id, 'metrics', 'one');
    await store.settle(id, 'one', { places: [0, 1], entries });
    expect(await store.backlogBytes(id)).toBe(0);
  });

  test.each([
    ['no bytes', ['place', '1']],
    ['bytes that are no number', ['place', '1', 'epoch', '1', 'bytes', 'many']],
    ['other fields first', ['v', '2', 'place', '1', 'epoch', '1', 'bytes', '100']],
  ])('drops an entry with %s, and the rest with it', async (_name, fields) => {
    const { redis, store, sendAll, keys, dump } = createSweepFixture();
    const entries = await sendAll(1);
    const odd = await redis.xadd(keys.results, '*', ...fields);
    if (fields.includes('100')) await redis.incrby(keys.backlogBytes, 100);
    await store.hold(id, 'metrics', 'one');
    expect(await store.settle(id, 'one', { places: [0], entries: [odd ?? '', ...entries] })).toBe(true);
    expect(await dump()).toMatchObject({ done: Buffer.from([0b1000_0000]), entries: [], bytes: '0' });
  });

  test('takes 10,000 places and entries at once, and survives a forgotten script', async () => {
    const { redis, store, sendAll, dump } = createSweepFixture();
    const entries = await sendAll(10_000);
    await store.hold(id, 'metrics', 'one');
    await redis.script('FLUSH');
    const places = [...entries.keys()];
    expect(await store.settle(id, 'one', { places, entries })).toBe(true);
    expect(await store.countDone(id)).toBe(10_000);
    expect(await dump()).toMatchObject({ entries: [], pending: [0, null, null, null], bytes: '0' });
  });

  test('of nothing is settled, and refused without the lease', async () => {
    const { store } = createSweepFixture();
    expect(await store.settle(id, 'one', { places: [], entries: [] })).toBe(false);
    await store.hold(id, 'metrics', 'one');
    expect(await store.settle(id, 'one', { places: [], entries: [] })).toBe(true);
  });
});

test('spending on no line adds up', async () => {
  const { store } = createSweepFixture();
  const use = { calls: 1, tokensIn: 20, tokensOut: 3, tokensCached: 10 };
  expect(await store.lateUse(id)).toEqual({});
  await store.bookLate(id, use);
  await store.bookLate(id, use);
  await store.bookCancelled(id, 500);
  expect(await store.lateUse(id)).toEqual({
    calls: 2,
    tokensIn: 40,
    tokensOut: 6,
    tokensCached: 20,
    cancelledTokens: 500,
  });
});
