import { describe, expect, test } from 'vitest';
import type { RedisClient } from '../../../shared/redis/connection.ts';
import { bookScript } from '../../../shared/redis/run-scripts.ts';
import type { EpochRef, RunStore } from '../../../shared/redis/run-store.ts';
import type { Keys } from '../../../shared/redis/keys.ts';
import { verdictOn } from '../../support/pipeline.ts';
import { buildStep, buildSteps, resultOf } from '../../support/run-calls.ts';
import { createRunFixture, listenTo, run } from './run-fixture.ts';

const use = { calls: 1, tokensIn: 2, tokensOut: 3, tokensCached: 4 };
const about = { ...run, epoch: 1 };

/** Each effect once, in the order of a run's life: every one of them is allowed when it comes. */
const life: readonly (readonly [string, (store: RunStore, epoch: EpochRef) => Promise<unknown>])[] = [
  ['start', (store, { token }) => store.start(run, { token, generator: `gen-${token}` })],
  ['watch', (store, epoch) => store.watch(epoch, 'watcher-1')],
  ['publish', (store, epoch) => store.publish(epoch, buildSteps(2))],
  ['end', (store, epoch) => store.end(epoch, 2)],
  [
    'verdict',
    (store, epoch) =>
      store.issueVerdicts(epoch, { watcher: 'watcher-1' }, [
        verdictOn({ index: 0 }, false),
        verdictOn({ index: 1 }, true),
      ]),
  ],
  ['look', (store, epoch) => store.look(epoch, { fromStep: 0, maxSteps: 9, verdictsOf: [0, 1] })],
  ['commit', (store, epoch) => store.commit(epoch, { mode: 'halt', flagged: 1, result: resultOf(epoch) })],
];
const names = life.map(([name]) => name);

/** A fresh run, brought to just before the effect named; its epoch, and the effect. */
async function bringTo(name: string) {
  const fixture = createRunFixture();
  const index = names.indexOf(name);
  const epoch = await fixture.start('a');
  for (const [, effect] of life.slice(1, index)) await effect(fixture.store, epoch);
  return { ...fixture, epoch, effect: () => life[index]?.[1](fixture.store, epoch) };
}

describe('pushes', () => {
  test('the generator hears of its watcher and of each verdict, of those issued together at once', async () => {
    const { url, keys, store, start } = createRunFixture();
    const generator = await listenTo(url, keys.channel('gen-a'));
    const epoch = await start('a');
    for (const [, effect] of life.slice(1)) await effect(store, epoch);
    expect(await generator.heard()).toEqual([
      { type: 'watch-started', ...about, watcher: 'watcher-1' },
      {
        type: 'verdicts-issued',
        ...about,
        verdicts: [verdictOn({ index: 0 }, false), verdictOn({ index: 1 }, true)],
      },
    ]);
  });

  test('the watcher hears of each step, of the end and of the commit', async () => {
    const { url, keys, store, start } = createRunFixture();
    const watcher = await listenTo(url, keys.channel('watcher-1'));
    const epoch = await start('a');
    for (const [, effect] of life.slice(1)) await effect(store, epoch);
    expect(await watcher.heard()).toEqual([
      { type: 'steps-completed', ...about, steps: buildSteps(2) },
      { type: 'steps-ended', ...about, steps: 2 },
      { type: 'run-committed', ...about },
    ]);
  });

  test('the watcher hears of the last steps and of the end at once, where both are told in one call', async () => {
    const { url, keys, store, start } = createRunFixture();
    const watcher = await listenTo(url, keys.channel('watcher-1'));
    const epoch = await start('a');
    await store.watch(epoch, 'watcher-1');
    await store.publish(epoch, [buildStep(0)]);
    await store.publish(epoch, [buildStep(1)], { ended: 2 });
    expect(await watcher.heard()).toEqual([
      { type: 'steps-completed', ...about, steps: [buildStep(0)] },
      { type: 'steps-completed', ...about, steps: [buildStep(1)], ended: 2 },
    ]);
    expect(await store.look(epoch, { fromStep: 0, maxSteps: 9 })).toMatchObject({ ended: 2 });
  });

  test('of steps that are sent again with others, only the others are pushed', async () => {
    const { url, keys, store, start } = createRunFixture();
    const watcher = await listenTo(url, keys.channel('watcher-1'));
    const epoch = await start('a');
    await store.watch(epoch, 'watcher-1');
    await store.publish(epoch, buildSteps(2));
    await store.publish(epoch, buildSteps(3));
    expect((await watcher.heard()).at(-1)).toEqual({
      ...{ type: 'steps-completed', ...about },
      steps: [buildStep(2)],
    });
  });

  test('a watcher that was taken over hears no more', async () => {
    const { url, keys, store, start } = createRunFixture();
    const earlier = await listenTo(url, keys.channel('watcher-1'));
    const later = await listenTo(url, keys.channel('watcher-2'));
    const epoch = await start('a');
    await store.watch(epoch, 'watcher-1');
    await store.watch(epoch, 'watcher-2');
    await store.publish(epoch, buildSteps(1));
    expect(await earlier.heard()).toEqual([]);
    expect(await later.heard()).toHaveLength(1);
  });

  test('the watcher of an earlier epoch hears nothing of the next', async () => {
    const { url, keys, store, start } = createRunFixture();
    const watcher = await listenTo(url, keys.channel('watcher-1'));
    await store.watch(await start('a'), 'watcher-1');
    await store.publish(await start('b'), buildSteps(1));
    expect(await watcher.heard()).toEqual([]);
  });

  test('a second verdict of a step is not pushed', async () => {
    const { url, keys, store, start } = createRunFixture();
    const epoch = await start('a');
    await store.issueVerdicts(epoch, 'generator', [verdictOn({ index: 0 }, false)]);
    const generator = await listenTo(url, keys.channel('gen-a'));
    const verdicts = [verdictOn({ index: 0 }, true), verdictOn({ index: 1 }, false)];
    await store.issueVerdicts(epoch, 'generator', verdicts);
    expect(await generator.heard()).toEqual([{ type: 'verdicts-issued', ...about, verdicts: [verdicts[1]] }]);
  });

  test('a refused call pushes nothing', async () => {
    const { url, keys, store, start } = createRunFixture();
    const epoch = await start('a');
    await store.watch(epoch, 'watcher-1');
    const ears = await Promise.all(
      ['gen-a', 'watcher-1', 'watcher-2'].map((worker) => listenTo(url, keys.channel(worker))),
    );
    const stale = { ...epoch, token: 'another' };
    await store.watch(stale, 'watcher-2');
    await store.publish(stale, buildSteps(1));
    await store.end(stale, 0);
    await store.issueVerdicts(stale, 'generator', [verdictOn({ index: 0 }, true)]);
    await store.issueVerdicts(epoch, { watcher: 'watcher-2' }, [verdictOn({ index: 0 }, true)]);
    await store.commit(stale, { mode: 'unguarded', flagged: undefined, result: resultOf(stale) });
    expect((await Promise.all(ears.map((ear) => ear.heard()))).flat()).toEqual([]);
  });
});

describe('an effect that is sent again, as a broken connection may,', () => {
  test.each(names.filter((name) => name !== 'start'))(
    'answers the same, changes nothing and pushes nothing: %s',
    async (name) => {
      const { url, keys, dump, effect } = await bringTo(name);
      const answer = await effect();
      const before = await dump();
      const ears = await Promise.all(
        ['gen-a', 'watcher-1'].map((worker) => listenTo(url, keys.channel(worker))),
      );
      expect(await effect()).toEqual(answer);
      expect(await dump()).toEqual(before);
      expect((await Promise.all(ears.map((ear) => ear.heard()))).flat()).toEqual([]);
    },
  );

  test('counts a booking once, however often it is sent', async () => {
    const { redis, store, start, keys } = createRunFixture();
    const epoch = await start('a');
    const { run: hash, steps, verdicts } = keys.run(run.sweep, run.place);
    const book = (id: string) => bookScript.run(redis, [hash, steps, verdicts], [id, 1, 2, 3, 4, 60_000, 0]);
    for (const id of ['booking-00000001', 'booking-00000002', 'booking-00000001', 'booking-00000002']) {
      expect(await book(id)).toEqual(['booked']);
    }
    await store.commit(epoch, { mode: 'unguarded', flagged: undefined, result: resultOf(epoch) });
    const twice = { calls: 2, tokensIn: 4, tokensOut: 6, tokensCached: 8 };
    expect((await store.read(run))?.monitorUse).toEqual(twice);
  });

  test('remembers bookings in bounded space', async () => {
    const { redis, store, start, keys } = createRunFixture();
    const epoch = await start('a');
    await Promise.all(Array.from({ length: 300 }, () => store.book(run, use)));
    expect(await redis.hstrlen(keys.run(run.sweep, run.place).run, 'booked')).toBeLessThanOrEqual(64 * 17);
    await store.commit(epoch, { mode: 'unguarded', flagged: undefined, result: resultOf(epoch) });
    expect((await store.read(run))?.monitorUse.calls).toBe(300);
  });
});

describe('the expiry', () => {
  test.each([...names.filter((name) => name !== 'start' && name !== 'look'), 'book'])(
    'of every key is renewed: %s',
    async (name) => {
      const { redis, keys, store, effect } = await bringTo(name === 'book' ? 'commit' : name);
      for (const key of Object.values<string>({ ...keys.run(run.sweep, run.place) })) {
        await redis.pexpire(key, 60_000);
      }
      await (name === 'book' ? store.book(run, use) : effect());
      await expectWeek(redis, keys);
    },
  );

  test('stands from the start on', async () => {
    const { redis, keys, start } = createRunFixture();
    await start('a');
    await expectWeek(redis, keys);
  });
});

/** Each key of the run that exists lives for nearly 7 days more. */
async function expectWeek(redis: RedisClient, keys: Keys): Promise<void> {
  const names = Object.values<string>({ ...keys.run(run.sweep, run.place) });
  const left = (await Promise.all(names.map((name) => redis.pttl(name)))).filter((ms) => ms !== -2);
  expect(left.length).toBeGreaterThan(0);
  for (const ms of left) expect(ms).toBeGreaterThan(6.9 * 24 * 3_600_000);
}
