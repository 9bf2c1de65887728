import { describe, expect, test } from 'vitest';
import { createKeys } from '../../../shared/redis/keys.ts';
import { SweepStore } from '../../../shared/redis/sweep-store.ts';
import { buildLiveSweep } from '../../support/pipeline.ts';
import { testRedis } from '../../support/redis.ts';

/** A sweep with caps, announced. */
async function cappedSweep(limits: object) {
  const { redis, prefix } = testRedis();
  const keys = createKeys(prefix);
  const store = new SweepStore(redis, keys);
  const announce = (changed: object) =>
    store.announce(
      buildLiveSweep({ apiBaseUrl: 'http://127.0.0.1:1/v1', spec: { limits: changed }, total: 9 }),
    );
  await announce(limits);
  const { id } = buildLiveSweep({ apiBaseUrl: 'http://127.0.0.1:1/v1', spec: {}, total: 9 });
  const reserve = (place: number, money: number, { tokens = 0, isUnderWay = false } = {}) =>
    store.reserve(id, { place, money, tokens, isUnderWay });
  const settle = async (places: number[], spent: { money: number; tokens: number; runs: number }) => {
    await store.hold(id, 'metrics', 'one');
    return store.settle(id, 'one', { places, entries: [], spent });
  };
  return { id, store, announce, reserve, settle, redis, keys: keys.sweep(id) };
}

describe('a reservation', () => {
  test('that fits beside the others stands, until the settled line takes its place', async () => {
    const { id, store, reserve, settle } = await cappedSweep({ maxCost: 1 });
    expect(await reserve(0, 0.4, { tokens: 100 })).toBe('reserved');
    expect(await reserve(1, 0.4, { tokens: 100 })).toBe('reserved');
    expect((await store.spend(id)).open).toEqual({ money: 0.8, tokens: 200, runs: 2 });
    await settle([0], { money: 0.1, tokens: 30, runs: 1 });
    expect(await store.spend(id)).toEqual({
      spent: { money: 0.1, tokens: 30, runs: 1 },
      open: { money: 0.4, tokens: 100, runs: 1 },
    });
  });

  test('of the next epoch takes the place of the last one, whatever the caps say', async () => {
    const { id, store, reserve } = await cappedSweep({ maxCost: 1 });
    await reserve(0, 0.6);
    expect(await reserve(0, 0.7)).toBe('reserved');
    expect(await reserve(0, 1.5, { isUnderWay: true })).toBe('reserved');
    expect((await store.spend(id)).open).toEqual({ money: 1.5, tokens: 0, runs: 1 });
  });

  test('that would fit without the others waits for them', async () => {
    const { id, store, reserve, settle } = await cappedSweep({ maxCost: 1 });
    await reserve(0, 0.6);
    expect(await reserve(1, 0.6)).toBe('wait');
    expect(await store.status(id)).toBe('running');
    await settle([0], { money: 0.2, tokens: 0, runs: 1 });
    expect(await reserve(1, 0.6)).toBe('reserved');
  });

  test.each([
    ['maxCost', { maxCost: 1 }, 0.6, 0],
    ['maxTokens', { maxTokens: 1_000 }, 0, 600],
    ['maxRuns', { maxRuns: 1 }, 0, 0],
  ])('that cannot fit caps the sweep: %s', async (cap, limits, money, tokens) => {
    const { id, store, reserve, settle } = await cappedSweep(limits);
    expect(await reserve(0, money, { tokens })).toBe('reserved');
    expect(await reserve(1, money, { tokens })).toBe('wait');
    await settle([0], { money: 0.5, tokens: 500, runs: 1 });
    expect(await reserve(1, money, { tokens })).toBe('capped');
    expect([await store.status(id), await store.cap(id)]).toEqual(['capped', cap]);
    expect(await reserve(2, 0)).toBe('refused');
  });

  test('is exactly as large as the cap and no larger', async () => {
    const { reserve } = await cappedSweep({ maxCost: 0.3 });
    expect(await reserve(0, 0.1)).toBe('reserved');
    expect(await reserve(1, 0.2)).toBe('reserved');
    expect(await reserve(2, 1e-9)).toBe('wait');
  });

  test('of a run that is on disk is none', async () => {
    const { id, store, reserve, settle } = await cappedSweep({});
    await settle([0], { money: 0, tokens: 0, runs: 1 });
    expect(await reserve(0, 5)).toBe('done');
    expect((await store.spend(id)).open.runs).toBe(0);
  });

  test('is refused while the sweep is paused, and given back by a run that stops', async () => {
    const { id, store, reserve } = await cappedSweep({ maxCost: 1 });
    await reserve(0, 1);
    await store.releaseSpend(id, 0);
    await store.releaseSpend(id, 0);
    expect((await store.spend(id)).open).toEqual({ money: 0, tokens: 0, runs: 0 });
    await store.setStatus(id, 'paused');
    expect(await reserve(1, 0.1)).toBe('refused');
  });
});

describe('a monitor call', () => {
  test('counts as it is made, and once its run is on disk as late', async () => {
    const { id, store, reserve, settle } = await cappedSweep({ maxCost: 1 });
    await reserve(0, 0.5);
    await store.bookSpend(id, 0, { money: 0.3, tokens: 10 });
    expect(await reserve(1, 0.3)).toBe('wait');
    await settle([0], { money: 0.4, tokens: 20, runs: 1 });
    await store.bookSpend(id, 0, { money: 0.2, tokens: 5 });
    expect(await store.spend(id)).toEqual({
      spent: { money: 0.6, tokens: 25, runs: 1 },
      open: { money: 0, tokens: 0, runs: 0 },
    });
  });

  test('stays booked when the next epoch of its run begins', async () => {
    const { id, store, reserve } = await cappedSweep({});
    await store.bookSpend(id, 0, { money: 0.3, tokens: 10 });
    await reserve(0, 0.5);
    await reserve(0, 0.2, { isUnderWay: true });
    expect((await store.spend(id)).open).toEqual({ money: 0.5, tokens: 10, runs: 1 });
  });
});

describe('what is spent', () => {
  test('is what the holder of the lease counts in the file, however often it says so', async () => {
    const { id, store, reserve, settle } = await cappedSweep({});
    for (const place of [0, 1, 2]) await reserve(place, 0.1);
    await settle([0], { money: 0.05, tokens: 7, runs: 1 });
    await settle([0], { money: 0.05, tokens: 7, runs: 1 });
    expect(await store.recount(id, 'one', { money: 0.05, tokens: 7, runs: 1 })).toBe(true);
    expect(await store.recount(id, 'two', { money: 9, tokens: 9, runs: 9 })).toBe(false);
    expect(await store.spend(id)).toEqual({
      spent: { money: 0.05, tokens: 7, runs: 1 },
      open: { money: 0.2, tokens: 0, runs: 2 },
    });
  });

  test('counted anew, frees what marked runs had reserved', async () => {
    const { id, store, reserve } = await cappedSweep({});
    for (const place of [0, 1]) await reserve(place, 0.1);
    await store.writeDone(id, Uint8Array.of(0b1000_0000));
    await store.hold(id, 'metrics', 'one');
    await store.recount(id, 'one', { money: 0.02, tokens: 0, runs: 1 });
    expect((await store.spend(id)).open).toEqual({ money: 0.1, tokens: 0, runs: 1 });
  });
});

test('a sweep announced with a raised cap runs again, and one without caps never ends by one', async () => {
  const { id, store, announce, reserve } = await cappedSweep({ maxRuns: 1, maxCost: 0.1 });
  expect(await reserve(0, 0.2)).toBe('capped');
  await announce({ maxCost: 0.3 });
  expect([await store.status(id), await store.cap(id)]).toEqual(['running', undefined]);
  expect(await reserve(0, 0.2)).toBe('reserved');
  await announce({});
  expect(await reserve(1, 1_000, { tokens: 1e12 })).toBe('reserved');
});
