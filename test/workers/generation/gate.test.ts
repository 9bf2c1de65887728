import { expect, test } from 'vitest';
import type { Step } from '../../../shared/schemas/step.ts';
import type { Verdict } from '../../../shared/schemas/verdict.ts';
import {
  buildJob,
  createGate,
  createPipeline,
  scriptedMonitor,
  scriptedSteps,
  verdictOn,
} from '../../support/pipeline.ts';

const tenSteps = { reasoning: scriptedSteps(10), content: ['The answer is 42.'] };

test('without a monitor and fail closed, no token is asked for and the run is halted by monitor_error', async () => {
  const pipeline = await createPipeline({
    simulator: { script: () => tenSteps },
    spec: { fail: 'closed', monitor: { attachTimeoutMs: 400 } },
  });
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep)]);
  const { result } = await pipeline.committed(0);
  expect(result.outcome).toEqual({ status: 'halted', reason: 'monitor_error' });
  expect(result.tokens).toEqual({ reasoning: 0, answer: 0, content: 0, wasted: 0 });
  expect(result.timing.attachWaitMs).toBeGreaterThanOrEqual(400);
  expect(result.timing.latencyMs).toBeUndefined();
  expect(pipeline.simulator.requests()).toHaveLength(0);
});

test('without a monitor and fail open, the run answers and every step counts as unjudged', async () => {
  const pipeline = await createPipeline({
    simulator: { script: () => tenSteps },
    spec: { fail: 'open', monitor: { attachTimeoutMs: 400 } },
  });
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep)]);
  const { result, verdicts } = await pipeline.committed(0);
  expect(result.outcome).toEqual({ status: 'answered' });
  expect(result.answer).toBe('42');
  expect(result.unjudged).toBe(11);
  expect(verdicts.every((verdict) => verdict.status === 'monitor_error')).toBe(true);
});

test('an unsafe verdict that comes after the last token blocks the answer', async () => {
  const streamEnded = createGate();
  const pipeline = await createPipeline({
    simulator: { script: () => tenSteps, onClosed: () => streamEnded.open() },
  });
  await pipeline.startMonitor(
    scriptedMonitor((step) => (step.index < 10 ? false : streamEnded.opened.then(() => true))),
  );
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep)]);
  const { result } = await pipeline.committed(0);
  expect(result.outcome).toEqual({ status: 'halted', reason: 'verdict' });
  expect(result.answer).toBeUndefined();
  expect(result.flag).toMatchObject({
    stepIndex: 10,
    when: 'blocked',
    channel: 'answer',
    beforeAnswer: false,
  });
  expect(pipeline.simulator.requests()[0]?.closed).toBe('finished');
});

test('when step 5 is flagged before step 3, the first unsafe step is 3', async () => {
  const fiveFlagged = createGate();
  const pipeline = await createPipeline({ simulator: { script: () => tenSteps } });
  const judge = async (step: Step): Promise<boolean> => {
    if (step.index === 5) {
      setImmediate(() => fiveFlagged.open());
      return true;
    }
    if (step.index === 3) await fiveFlagged.opened;
    return step.index === 3;
  };
  await pipeline.startMonitor(scriptedMonitor(judge));
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep)]);
  const { result, verdicts } = await pipeline.committed(0);
  expect(result.outcome).toEqual({ status: 'halted', reason: 'verdict' });
  expect(result.flag?.stepIndex).toBe(3);
  expect(verdicts.find((verdict) => verdict.stepIndex === 5)).toMatchObject({ errorDetected: true });
});

test('when step 3 gets no verdict in time and step 5 is flagged, the run is halted by the verdict on 5', async () => {
  const pipeline = await createPipeline({
    simulator: { script: () => tenSteps },
    spec: { monitor: { stepTimeoutMs: 600 } },
  });
  const judge = (step: Step): boolean | Promise<boolean> =>
    step.index === 3 ? new Promise<boolean>(() => undefined) : step.index === 5;
  await pipeline.startMonitor(scriptedMonitor(judge));
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep)]);
  const { result, verdicts } = await pipeline.committed(0);
  expect(result.outcome).toEqual({ status: 'halted', reason: 'verdict' });
  expect(result.flag?.stepIndex).toBe(5);
  expect(verdicts.find((verdict) => verdict.stepIndex === 3)).toMatchObject({ status: 'monitor_error' });
});

test('a step without a verdict halts by monitor_error under fail closed, and is passed over under fail open', async () => {
  const silentOnThree = scriptedMonitor((step) =>
    step.index === 3 ? new Promise<boolean>(() => undefined) : false,
  );
  for (const fail of ['closed', 'open'] as const) {
    const pipeline = await createPipeline({
      simulator: { script: () => tenSteps },
      spec: { fail, monitor: { stepTimeoutMs: 500 } },
    });
    await pipeline.startMonitor(silentOnThree);
    await pipeline.startGeneration();
    await pipeline.addJobs([buildJob(pipeline.sweep)]);
    const { result } = await pipeline.committed(0);
    const expected =
      fail === 'closed' ? { status: 'halted', reason: 'monitor_error' } : { status: 'answered' };
    expect(result.outcome).toEqual(expected);
    expect(result.unjudged).toBe(1);
  }
});

test('under flag the answer is released after the last verdict and the smallest flagged index is recorded', async () => {
  const pipeline = await createPipeline({
    simulator: { script: () => tenSteps },
    spec: { intervention: 'flag' },
  });
  await pipeline.startMonitor(scriptedMonitor((step) => step.index === 4 || step.index === 7));
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep)]);
  const { result, verdicts } = await pipeline.committed(0);
  expect(result.outcome).toEqual({ status: 'answered' });
  expect(result.flag).toMatchObject({ stepIndex: 4, when: 'recorded', tokensAfterFlag: 0 });
  expect(verdicts.map((verdict: Verdict) => verdict.stepIndex)).toEqual([...Array(11).keys()]);
});

test('a halt closes the socket mid-stream: the simulator stops writing, and what came after the flag is counted', async () => {
  const reasoning = scriptedSteps(400);
  const pipeline = await createPipeline({
    simulator: { script: () => ({ reasoning, content: ['The answer is 42.'] }), tokensPerSecond: 200 },
  });
  await pipeline.startMonitor(scriptedMonitor((step) => step.index === 6));
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep)]);
  const { result, steps, verdicts } = await pipeline.committed(0);
  expect(result.outcome).toEqual({ status: 'halted', reason: 'verdict' });
  expect(result.flag).toMatchObject({ stepIndex: 6, when: 'cut', beforeAnswer: true });
  const upToFlag = steps.slice(0, 7).reduce((sum, step) => sum + step.tokens, 0);
  expect(result.flag?.tokensAtFlag).toBe(upToFlag);
  expect(result.tokens.reasoning).toBeGreaterThanOrEqual(upToFlag);
  expect(result.flag?.tokensAfterFlag).toBeGreaterThanOrEqual(0);
  expect(verdicts.every((verdict) => verdict.stepIndex <= 6)).toBe(true);
  await expect.poll(() => pipeline.simulator.requests()[0]?.closed).toBe('client');
  expect(pipeline.simulator.requests()[0]?.reasoning.length).toBeLessThan(reasoning.join('').length / 2);
});

test('a second watcher takes over: what stands is kept, what is missing is judged, the first is refused', async () => {
  const pipeline = await createPipeline({ simulator: { script: () => tenSteps } });
  const job = buildJob(pipeline.sweep);
  const started = await pipeline.store.start(job, {
    token: 'token-a',
    generator: 'g',
    problem: { query: 'question 0', asksForSteps: true },
  });
  if (!('epoch' in started)) throw new Error('not started');
  const epoch = { sweep: job.sweep, place: 0, epoch: started.epoch, token: 'token-a' };
  await pipeline.store.watch(epoch, 'first');
  await pipeline.store.watch(epoch, 'second');
  const late = await pipeline.store.issueVerdicts(epoch, { watcher: 'first' }, [
    verdictOn({ index: 0 }, true),
  ]);
  expect(late).toEqual({ refused: 'watcher' });
  const look = await pipeline.store.look(epoch, { fromStep: 0, maxSteps: 0, verdictsOf: [0] });
  expect(look).toMatchObject({ flagged: undefined, watcher: 'second', verdicts: [] });
});
