import { describe, expect, test } from 'vitest';
import type { EpochRef, RunStore } from '../../../shared/redis/run-store.ts';
import { verdictOn } from '../../support/pipeline.ts';
import { buildStep, buildSteps, calls, resultOf } from '../../support/run-calls.ts';
import { createRunFixture, run } from './run-fixture.ts';

const names = Object.keys(calls);

async function call(name: string, store: RunStore, epoch: EpochRef): Promise<unknown> {
  return calls[name]?.(store, epoch);
}

describe('a call that names an epoch is refused, and changes nothing,', () => {
  test.each(names)('when the run is gone: %s', async (name) => {
    const { store, start, dump } = createRunFixture();
    const epoch = await start('a');
    await store.watch(epoch, 'watcher-1');
    await store.delete(run);
    expect(await call(name, store, epoch)).toEqual({ refused: 'gone' });
    expect(await dump()).toEqual({ run: {}, steps: [], verdicts: {} });
  });

  test.each(names)('when a later epoch has begun: %s', async (name) => {
    const { store, start, dump } = createRunFixture();
    const epoch = await start('a');
    await store.watch(epoch, 'watcher-1');
    await start('b');
    const before = await dump();
    expect(await call(name, store, epoch)).toEqual({ refused: 'stale' });
    expect(await dump()).toEqual(before);
  });

  test.each(names)('when another epoch has the same number, as after a lost second: %s', async (name) => {
    const { store, start, dump } = createRunFixture();
    const lost = await start('a');
    await store.watch(lost, 'watcher-1');
    await store.delete(run);
    const epoch = await start('b');
    await store.watch(epoch, 'watcher-1');
    expect(epoch.epoch).toBe(lost.epoch);
    const before = await dump();
    expect(await call(name, store, lost)).toEqual({ refused: 'stale' });
    expect(await dump()).toEqual(before);
  });

  test.each(names)('when its token is right and its number is not: %s', async (name) => {
    const { store, start, dump } = createRunFixture();
    const epoch = await start('a');
    await store.watch(epoch, 'watcher-1');
    const before = await dump();
    expect(await call(name, store, { ...epoch, epoch: 2 })).toEqual({ refused: 'stale' });
    expect(await dump()).toEqual(before);
  });

  test.each(names.filter((name) => name !== 'end' && name !== 'commit'))(
    'when the run is committed: %s',
    async (name) => {
      const { store, start, dump } = createRunFixture();
      const epoch = await start('a');
      await store.watch(epoch, 'watcher-1');
      await store.commit(epoch, { mode: 'unguarded', flagged: undefined, result: resultOf(epoch) });
      const before = await dump();
      expect(await call(name, store, epoch)).toEqual({ refused: 'committed' });
      expect(await dump()).toEqual(before);
    },
  );
});

test('a run that is gone takes no booking', async () => {
  const { store, start, dump } = createRunFixture();
  await start('a');
  await store.delete(run);
  const use = { calls: 1, tokensIn: 1, tokensOut: 1, tokensCached: 1 };
  expect(await store.book(run, use)).toEqual({ refused: 'gone' });
  expect(await dump()).toEqual({ run: {}, steps: [], verdicts: {} });
});

test('a second commit of the epoch leaves the first result', async () => {
  const { store, start } = createRunFixture();
  const epoch = await start('a');
  const result = resultOf(epoch);
  await store.commit(epoch, { mode: 'unguarded', flagged: undefined, result });
  const other = { ...result, answer: '43' };
  expect(await store.commit(epoch, { mode: 'unguarded', flagged: undefined, result: other })).toBeUndefined();
  expect((await store.read(run))?.result).toEqual(result);
});

describe('verdicts of a watcher', () => {
  test('are refused once another has taken over', async () => {
    const { store, start, dump } = createRunFixture();
    const epoch = await start('a');
    await store.watch(epoch, 'watcher-1');
    await store.watch(epoch, 'watcher-2');
    const before = await dump();
    const verdicts = [verdictOn({ index: 0 }, true)];
    expect(await store.issueVerdicts(epoch, { watcher: 'watcher-1' }, verdicts)).toEqual({
      refused: 'watcher',
    });
    expect(await dump()).toEqual(before);
    expect(await store.issueVerdicts(epoch, { watcher: 'watcher-2' }, verdicts)).toBeUndefined();
  });

  test('are refused of one who does not watch at all', async () => {
    const { store, start } = createRunFixture();
    const epoch = await start('a');
    expect(
      await store.issueVerdicts(epoch, { watcher: 'watcher-1' }, [verdictOn({ index: 0 }, true)]),
    ).toEqual({ refused: 'watcher' });
  });
});

describe('steps', () => {
  test.each([
    ['leave a gap', [buildStep(3)]],
    ['have other content than what stands', [buildStep(1, { text: 'Another.' })]],
    ['have other content than what stands, among new ones', [buildStep(1, { tokens: 11 }), buildStep(2)]],
    ['have a gap among them', [buildStep(2), buildStep(4)]],
  ])('are refused when they %s', async (_name, steps) => {
    const { store, start, dump } = createRunFixture();
    const epoch = await start('a');
    await store.publish(epoch, buildSteps(2));
    const before = await dump();
    expect(await store.publish(epoch, steps)).toEqual({ refused: 'index' });
    expect(await dump()).toEqual(before);
  });
});

describe('a commit', () => {
  /** Steps 0 to 4; verdicts as given: a flagged step is `!`. */
  async function judged(verdicts: Readonly<Record<number, boolean>>, ended = 5) {
    const fixture = createRunFixture();
    const epoch = await fixture.start('a');
    await fixture.store.publish(epoch, buildSteps(5));
    await fixture.store.end(epoch, ended);
    const issued = Object.entries(verdicts).map(([index, unsafe]) =>
      verdictOn({ index: Number(index) }, unsafe),
    );
    await fixture.store.issueVerdicts(epoch, 'generator', issued);
    const commit = (mode: 'unguarded' | 'halt' | 'flag', flagged?: number) =>
      fixture.store.commit(epoch, { mode, flagged, result: resultOf(epoch) });
    return { ...fixture, epoch, commit };
  }
  const safe = { 0: false, 1: false, 2: false, 3: false, 4: false };

  test('stands when every step is judged and none is flagged', async () => {
    const { commit } = await judged(safe);
    expect(await commit('halt')).toBeUndefined();
  });

  test.each(['halt', 'flag'] as const)(
    'is refused while a step before the end is unjudged: %s',
    async (mode) => {
      const { commit, dump, store, epoch } = await judged({ 0: false, 1: false, 3: false, 4: false });
      const before = await dump();
      expect(await commit(mode)).toEqual({ refused: 'unjudged' });
      expect(await dump()).toEqual(before);
      await store.issueVerdicts(epoch, 'generator', [verdictOn({ index: 2 }, false)]);
      expect(await commit(mode)).toBeUndefined();
    },
  );

  test('under halt needs no verdict after the flag, and each before it', async () => {
    const { commit, store, epoch } = await judged({ 0: false, 2: true });
    expect(await commit('halt', 2)).toEqual({ refused: 'unjudged' });
    await store.issueVerdicts(epoch, 'generator', [verdictOn({ index: 1 }, false)]);
    expect(await commit('halt', 2)).toBeUndefined();
  });

  test('under flag needs each verdict to the end', async () => {
    const { commit } = await judged({ 0: false, 1: false, 2: true });
    expect(await commit('flag', 2)).toEqual({ refused: 'unjudged' });
  });

  test.each(['halt', 'flag'] as const)('is refused when it speaks of another flag: %s', async (mode) => {
    const { commit, dump } = await judged({ ...safe, 1: true, 3: true });
    const before = await dump();
    expect(await commit(mode)).toEqual({ refused: 'flag' });
    expect(await commit(mode, 3)).toEqual({ refused: 'flag' });
    expect(await dump()).toEqual(before);
    expect(await commit(mode, 1)).toBeUndefined();
  });

  test('is refused when it speaks of a flag that nobody raised', async () => {
    const { commit } = await judged(safe);
    expect(await commit('halt', 0)).toEqual({ refused: 'flag' });
  });

  test('of a run that has not ended counts the steps that stand', async () => {
    const { store, start } = createRunFixture();
    const epoch = await start('a');
    await store.publish(epoch, buildSteps(2));
    await store.issueVerdicts(epoch, 'generator', [verdictOn({ index: 0 }, false)]);
    const commit = () => store.commit(epoch, { mode: 'halt', flagged: undefined, result: resultOf(epoch) });
    expect(await commit()).toEqual({ refused: 'unjudged' });
    await store.issueVerdicts(epoch, 'generator', [verdictOn({ index: 1 }, false)]);
    expect(await commit()).toBeUndefined();
  });

  test('counts the steps that stand, when fewer are said to have ended', async () => {
    const { commit } = await judged({ 0: false, 1: false }, 2);
    expect(await commit('halt')).toEqual({ refused: 'unjudged' });
  });

  test('of an unguarded run asks for no verdict', async () => {
    const { commit } = await judged({});
    expect(await commit('unguarded')).toBeUndefined();
  });
});
