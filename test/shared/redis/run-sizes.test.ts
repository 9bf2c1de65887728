import { describe, expect, test } from 'vitest';
import { verdictOn } from '../../support/pipeline.ts';
import { buildSteps, resultOf } from '../../support/run-calls.ts';
import { createRunFixture, run } from './run-fixture.ts';

test('each script is sent in full when Redis has forgotten it', async () => {
  const { redis, store, start } = createRunFixture();
  const forget = () => redis.script('FLUSH');
  await forget();
  const epoch = await start('a');
  const calls = [
    () => store.watch(epoch, 'watcher-1'),
    () => store.publish(epoch, buildSteps(1)),
    () => store.end(epoch, 1),
    () => store.issueVerdicts(epoch, { watcher: 'watcher-1' }, [verdictOn({ index: 0 }, false)]),
    () => store.look(epoch, { fromStep: 0, maxSteps: 1, verdictsOf: [0] }),
    () => store.book(run, { calls: 1, tokensIn: 1, tokensOut: 1, tokensCached: 0 }),
    () => store.commit(epoch, { mode: 'halt', flagged: undefined, result: resultOf(epoch) }),
  ];
  for (const call of calls) {
    await forget();
    expect((await call()) ?? {}).not.toHaveProperty('refused');
  }
  await forget();
  expect(await store.read(run)).toMatchObject({ steps: buildSteps(1), monitorUse: { calls: 1 } });
});

describe('a chain of 10,000 steps', () => {
  const steps = buildSteps(10_000);
  const halves = [steps.slice(0, 5_000), steps.slice(5_000)];
  const indexes = steps.map((step) => step.index);

  test('is published 5,000 steps at once, judged, watched, looked at and committed', async () => {
    const { store, start } = createRunFixture();
    const epoch = await start('a');
    for (const half of halves) expect(await store.publish(epoch, half)).toBeUndefined();
    await store.end(epoch, steps.length);
    for (const half of halves) {
      const verdicts = half.map((step) => verdictOn(step, false));
      expect(await store.issueVerdicts(epoch, 'generator', verdicts)).toBeUndefined();
    }
    const watched = await store.watch(epoch, 'watcher-1');
    expect('steps' in watched && [watched.steps.length, watched.verdicts.length]).toEqual([10_000, 10_000]);
    const look = await store.look(epoch, { fromStep: 0, maxSteps: 10_000, verdictsOf: indexes });
    expect('steps' in look && look.verdicts.map((verdict) => verdict.stepIndex)).toEqual(indexes);
    const result = resultOf(epoch);
    expect(await store.commit(epoch, { mode: 'halt', flagged: undefined, result })).toBeUndefined();
    const read = await store.read(run);
    expect(read?.steps).toEqual(steps);
    expect(read?.verdicts).toHaveLength(10_000);
  });

  test('is refused at the commit for the one step without a verdict', async () => {
    const { store, start } = createRunFixture();
    const epoch = await start('a');
    for (const half of halves) await store.publish(epoch, half);
    const verdicts = steps.slice(0, -1).map((step) => verdictOn(step, false));
    await store.issueVerdicts(epoch, 'generator', verdicts);
    const commit = () => store.commit(epoch, { mode: 'halt', flagged: undefined, result: resultOf(epoch) });
    expect(await commit()).toEqual({ refused: 'unjudged' });
    await store.issueVerdicts(epoch, 'generator', [verdictOn({ index: 9_999 }, false)]);
    expect(await commit()).toBeUndefined();
  });

  test('is all wasted when its worker dies', async () => {
    const { store, start } = createRunFixture();
    const epoch = await start('a');
    for (const half of halves) await store.publish(epoch, half);
    expect(await store.start(run, { token: 'b', generator: 'gen' })).toMatchObject({
      epoch: 2,
      wasted: 100_000,
    });
  });
});
