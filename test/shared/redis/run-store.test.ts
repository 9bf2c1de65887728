import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUnsafe } from '../../../shared/schemas/verdict.ts';
import { verdictOn } from '../../support/pipeline.ts';
import { buildStep, buildSteps, resultOf } from '../../support/run-calls.ts';
import { createRunFixture, problem, run } from './run-fixture.ts';

const watcher = { watcher: 'watcher-1' };

describe('start', () => {
  test('epochs count from 1, and a new one has no steps, verdicts, flag, end or watcher', async () => {
    const { store, start } = createRunFixture();
    const first = await start('a');
    await store.watch(first, 'watcher-1');
    await store.publish(first, buildSteps(2));
    await store.issueVerdicts(first, watcher, [verdictOn({ index: 1 }, true)]);
    await store.end(first, 2);
    const second = await start('b');
    expect([first.epoch, second.epoch]).toEqual([1, 2]);
    expect(await store.look(second, { fromStep: 0, maxSteps: 10, verdictsOf: [0, 1] })).toEqual({
      ended: undefined,
      flagged: undefined,
      watcher: undefined,
      steps: [],
      verdicts: [],
      missing: [],
    });
  });

  test('after a crash the tokens of the published steps are wasted, over all epochs', async () => {
    const { store, start } = createRunFixture();
    await store.publish(await start('a'), [buildStep(0, { tokens: 7 }), buildStep(1, { tokens: 5 })]);
    await store.publish(await start('b'), [buildStep(0, { tokens: 100 })]);
    expect(await store.start(run, { token: 'c', generator: 'gen' })).toEqual({
      epoch: 3,
      wasted: 112,
      crashed: true,
    });
  });

  test('a starter that knows what was wasted is believed, be it nothing', async () => {
    const { store, start } = createRunFixture();
    await store.publish(await start('a'), buildSteps(3));
    expect(await store.start(run, { token: 'b', generator: 'gen', wasted: 41 })).toEqual({
      epoch: 2,
      wasted: 41,
      crashed: false,
    });
    expect(await store.start(run, { token: 'c', generator: 'gen', wasted: 0 })).toEqual({
      epoch: 3,
      wasted: 41,
      crashed: false,
    });
  });

  test('what was handed over is wasted to the token, and no crash; a crash before or after it is one', async () => {
    const { store, start } = createRunFixture();
    const first = await start('a');
    await store.publish(first, [buildStep(0, { tokens: 7 })]);
    expect(await store.handOver(first, 9)).toBeUndefined();
    const second = await store.start(run, { token: 'b', generator: 'gen' });
    expect(second).toEqual({ epoch: 2, wasted: 9, crashed: false });
    await store.publish({ ...first, epoch: 2, token: 'b' }, [buildStep(0, { tokens: 5 })]);
    const third = await store.start(run, { token: 'c', generator: 'gen' });
    expect(third).toEqual({ epoch: 3, wasted: 14, crashed: true });
    await store.handOver({ ...first, epoch: 3, token: 'c' }, 0);
    const fourth = { epoch: 4, wasted: 14, crashed: true };
    expect(await store.start(run, { token: 'd', generator: 'gen' })).toEqual(fourth);
    expect(await store.start(run, { token: 'd', generator: 'gen' })).toEqual(fourth);
  });

  test('only the current epoch of a run that is not committed is handed over', async () => {
    const { store, start, dump } = createRunFixture();
    const first = await start('a');
    const second = await start('b');
    const before = await dump();
    expect(await store.handOver(first, 9)).toEqual({ refused: 'stale' });
    expect(await dump()).toEqual(before);
    await store.commit(second, { mode: 'unguarded', flagged: undefined, result: resultOf(second) });
    expect(await store.handOver(second, 9)).toEqual({ refused: 'committed' });
  });

  test('wasted tokens are those of the steps, whatever their texts say', async () => {
    const { store, start } = createRunFixture();
    const texts = ['half a pair: \ud83d', '"tokens":999,', '{"tokens":999}', 'a \u0000 zero', '\\"tokens":9'];
    await store.publish(
      await start('a'),
      texts.map((text, index) => buildStep(index, { text, tokens: index })),
    );
    expect(await store.start(run, { token: 'b', generator: 'gen' })).toEqual({
      epoch: 2,
      wasted: 10,
      crashed: true,
    });
  });

  test('sent again it answers the same and keeps what was published since', async () => {
    const { store, start, dump } = createRunFixture();
    await store.publish(await start('a'), buildSteps(2));
    const second = await start('b');
    await store.publish(second, buildSteps(1));
    const before = await dump();
    expect(await store.start(run, { token: 'b', generator: 'gen-b' })).toEqual({
      epoch: 2,
      wasted: 20,
      crashed: true,
    });
    expect(await dump()).toEqual(before);
  });

  test('a start that arrives late, after that of another, takes nothing over', async () => {
    const { store, start, dump } = createRunFixture();
    const first = await start('a');
    const second = await start('b');
    await store.publish(second, buildSteps(1));
    const before = await dump();
    expect(await store.start(run, { token: 'a', generator: 'gen-a' })).toEqual({
      epoch: 1,
      wasted: 0,
      crashed: false,
    });
    expect(await dump()).toEqual(before);
    expect(await store.publish(first, buildSteps(1))).toEqual({ refused: 'stale' });
    expect(await store.publish(second, buildSteps(1))).toBeUndefined();
  });

  test('a committed run is not started: its result comes back', async () => {
    const { store, start, dump } = createRunFixture();
    const epoch = await start('a');
    await store.publish(epoch, buildSteps(1));
    await store.commit(epoch, { mode: 'unguarded', flagged: undefined, result: resultOf(epoch) });
    const before = await dump();
    expect(await store.start(run, { token: 'b', generator: 'gen' })).toEqual({ result: resultOf(epoch) });
    expect(await dump()).toEqual(before);
  });
});

describe('watch', () => {
  test('answers what stands at that moment', async () => {
    const { store, start } = createRunFixture();
    const epoch = await start('a');
    await store.publish(epoch, buildSteps(3));
    await store.end(epoch, 3);
    const verdicts = [verdictOn({ index: 0 }, false), verdictOn({ index: 2 }, true)];
    await store.issueVerdicts(epoch, 'generator', verdicts);
    const look = await store.watch(epoch, 'watcher-1');
    expect(look).toMatchObject({ problem, ended: 3, flagged: 2, watcher: 'watcher-1', steps: buildSteps(3) });
    expect('verdicts' in look && look.verdicts).toEqual(expect.arrayContaining(verdicts));
  });
});

describe('publish', () => {
  test('steps stand at their indexes, and those published again change nothing', async () => {
    const { store, start, dump } = createRunFixture();
    const epoch = await start('a');
    await store.publish(epoch, buildSteps(2));
    const before = await dump();
    expect(await store.publish(epoch, buildSteps(2))).toBeUndefined();
    expect(await dump()).toEqual(before);
    expect(await store.publish(epoch, buildSteps(4))).toBeUndefined();
    expect(await store.look(epoch, { fromStep: 0, maxSteps: 9, verdictsOf: [] })).toMatchObject({
      steps: buildSteps(4),
    });
  });
});

describe('verdicts', () => {
  test('the first verdict of a step stands, be the second of the generator or of the watcher', async () => {
    const { store, start } = createRunFixture();
    const epoch = await start('a');
    await store.watch(epoch, 'watcher-1');
    const missing = { status: 'monitor_error', stepIndex: 0, reason: 'timeout', durationMs: 0 } as const;
    await store.issueVerdicts(epoch, watcher, [verdictOn({ index: 1 }, true)]);
    await store.issueVerdicts(epoch, 'generator', [missing, { ...missing, stepIndex: 1 }]);
    await store.issueVerdicts(epoch, watcher, [verdictOn({ index: 0 }, true)]);
    expect(await store.look(epoch, { fromStep: 0, maxSteps: 0, verdictsOf: [0, 1] })).toMatchObject({
      flagged: 1,
      verdicts: [missing, verdictOn({ index: 1 }, true)],
    });
  });

  test('the smallest flagged index is kept, in whatever order and packing verdicts arrive', async () => {
    const { store, start } = createRunFixture();
    let token = 0;
    const unsafe = fc.uniqueArray(fc.nat({ max: 12 }), { maxLength: 5 });
    const order = fc.shuffledSubarray([...Array(13).keys()], { minLength: 13 });
    await fc.assert(
      fc.asyncProperty(order, unsafe, fc.integer({ min: 1, max: 13 }), async (indexes, flags, size) => {
        const epoch = await start(`token-${(token += 1)}`, 0);
        const verdicts = indexes.map((index) => verdictOn({ index }, flags.includes(index)));
        for (let from = 0; from < verdicts.length; from += size) {
          await store.issueVerdicts(epoch, 'generator', verdicts.slice(from, from + size));
        }
        const look = await store.look(epoch, { fromStep: 0, maxSteps: 0, verdictsOf: indexes });
        expect(look).toMatchObject({ flagged: flags.length === 0 ? undefined : Math.min(...flags) });
        expect('verdicts' in look && look.verdicts.filter(isUnsafe)).toHaveLength(flags.length);
      }),
      { numRuns: 60 },
    );
  });
});

describe('look', () => {
  test('answers the steps and verdicts asked for, and no more', async () => {
    const { store, start } = createRunFixture();
    const epoch = await start('a');
    await store.publish(epoch, buildSteps(5));
    const verdicts = [0, 1, 4].map((index) => verdictOn({ index }, false));
    await store.issueVerdicts(epoch, 'generator', verdicts);
    expect(await store.look(epoch, { fromStep: 1, maxSteps: 2, verdictsOf: [4, 3, 0] })).toEqual({
      ended: undefined,
      flagged: undefined,
      watcher: undefined,
      steps: [buildStep(1), buildStep(2)],
      verdicts: [verdicts[2], verdicts[0]],
      missing: [],
    });
    const searched = { fromStep: 0, maxSteps: 0, missingIn: { from: 1, to: 5 } };
    expect(await store.look(epoch, searched)).toMatchObject({ steps: [], verdicts: [], missing: [2, 3] });
    expect(await store.look(epoch, { fromStep: 0, maxSteps: 0 })).toMatchObject({ steps: [] });
  });

  test('flag and verdicts are of one moment: a flag never comes without its verdict', async () => {
    const { store, start } = createRunFixture();
    const indexes = [...Array(60).keys()];
    const epoch = await start('a');
    const writing = (async () => {
      for (const index of indexes) {
        await store.publish(epoch, [buildStep(index)]);
        await store.issueVerdicts(epoch, 'generator', [verdictOn({ index }, index >= 30)]);
      }
    })();
    for (let isOver = false; !isOver;) {
      const look = await store.look(epoch, { fromStep: 0, maxSteps: 100, verdictsOf: indexes });
      if ('refused' in look) throw new Error(look.refused);
      const known = look.verdicts.length;
      // Each step is published just before its verdict.
      expect([known, known + 1]).toContain(look.steps.length);
      expect(look.flagged).toBe(known > 30 ? 30 : undefined);
      isOver = known === indexes.length;
    }
    await writing;
  });
});

describe('book', () => {
  const use = { calls: 1, tokensIn: 200, tokensOut: 30, tokensCached: 150 };

  test('calls add up over epochs, and after the commit', async () => {
    const { store, start } = createRunFixture();
    await store.book(await start('a').then(() => run), { ...use, simulatedCalls: 1 });
    const epoch = await start('b');
    await store.book(run, use);
    await store.commit(epoch, { mode: 'unguarded', flagged: undefined, result: resultOf(epoch) });
    await store.book(run, { calls: 1, tokensIn: 0, tokensOut: 0, tokensCached: 0 });
    expect((await store.read(run))?.monitorUse).toEqual({
      calls: 3,
      tokensIn: 400,
      tokensOut: 60,
      tokensCached: 300,
      simulatedCalls: 1,
    });
  });
});

describe('read', () => {
  test('a committed run comes whole, its verdicts in the order of its steps', async () => {
    const { store, start } = createRunFixture();
    const epoch = await start('a');
    const steps = buildSteps(12);
    await store.publish(epoch, steps);
    const verdicts = steps.map((step) => verdictOn(step, false));
    await store.issueVerdicts(epoch, 'generator', verdicts.toReversed());
    expect(await store.read(run)).toBeUndefined();
    await store.commit(epoch, { mode: 'halt', flagged: undefined, result: resultOf(epoch) });
    expect(await store.read(run)).toEqual({
      result: resultOf(epoch),
      monitorUse: { calls: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0 },
      steps,
      verdicts,
    });
  });

  test('a deleted run leaves nothing', async () => {
    const { store, start, dump } = createRunFixture();
    await store.publish(await start('a'), buildSteps(1));
    await store.delete(run);
    expect(await dump()).toEqual({ run: {}, steps: [], verdicts: {} });
    expect(await store.read(run)).toBeUndefined();
  });
});
