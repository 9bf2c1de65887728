import { expect, test } from 'vitest';
import type { EpochRef, Refusal, RunStore } from '../../../shared/redis/run-store.ts';
import { StepPublisher } from '../../../workers/generation/step-publisher.ts';
import { createRunFixture, listenTo, run } from '../../shared/redis/run-fixture.ts';
import { buildStep, buildSteps } from '../../support/run-calls.ts';

const about = { ...run, epoch: 1 };

function openPublisher(store: RunStore, epoch: EpochRef) {
  const published: number[] = [];
  const failures: (Refusal | Error)[] = [];
  const publisher = new StepPublisher(store, epoch, {
    onSending: () => undefined,
    onPublished: (steps) => published.push(...steps.map(({ index }) => index)),
    onFailed: (why) => failures.push(why),
  });
  return { publisher, published, failures };
}

/** A watched epoch, and what its watcher hears. */
async function openWatched() {
  const { url, keys, store, start } = createRunFixture();
  const watcher = await listenTo(url, keys.channel('watcher-1'));
  const epoch = await start('a');
  await store.watch(epoch, 'watcher-1');
  return { store, epoch, watcher, ...openPublisher(store, epoch) };
}

test('the last steps and their number go out in one call', async () => {
  const { publisher, published, watcher } = await openWatched();
  await publisher.end(buildSteps(3));
  expect(await watcher.heard()).toEqual([
    { type: 'steps-completed', ...about, steps: buildSteps(3), ended: 3 },
  ]);
  expect(published).toEqual([0, 1, 2]);
});

test('the number follows by itself where the last steps are out already', async () => {
  const { publisher, watcher } = await openWatched();
  publisher.add([buildStep(0)]);
  await publisher.end([]);
  expect(await watcher.heard()).toEqual([
    { type: 'steps-completed', ...about, steps: [buildStep(0)] },
    { type: 'steps-ended', ...about, steps: 1 },
  ]);
});

test('after a halt nothing more is published, and the number is that of the steps that were', async () => {
  const { publisher, published, watcher } = await openWatched();
  publisher.add([buildStep(0)]);
  publisher.close();
  await publisher.end([buildStep(1)]);
  expect((await watcher.heard()).at(-1)).toEqual({ type: 'steps-ended', ...about, steps: 1 });
  expect(published).toEqual([0]);
});

test('a chain of more steps than one call carries tells their number once, with the last', async () => {
  const { publisher, watcher } = await openWatched();
  await publisher.end(buildSteps(600));
  const heard = await watcher.heard();
  expect(heard.map((push) => push.type === 'steps-completed' && [push.steps.length, push.ended])).toEqual([
    [256, undefined],
    [256, undefined],
    [88, 600],
  ]);
});

test('a refusal is told once, and no end is told after it', async () => {
  const { publisher, failures, store, epoch, watcher } = await openWatched();
  const stale = openPublisher(store, { ...epoch, token: 'another' });
  await stale.publisher.end(buildSteps(2));
  expect(stale.failures).toEqual(['stale']);
  expect(await watcher.heard()).toEqual([]);
  await publisher.end(buildSteps(2));
  expect(failures).toEqual([]);
});
