import { expect, test } from 'vitest';
import { buildJob, createPipeline, scriptedMonitor } from '../../support/pipeline.ts';

const steps = ['Step 1: a line.\n\nAnd another of the same step.', '', 'b', 'The answer is 42.'];

test('a recorded chain is published with its own steps, and nothing is asked of its target', async () => {
  const pipeline = await createPipeline({ spec: { intervention: 'flag' } });
  await pipeline.startMonitor(scriptedMonitor(() => false));
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep, 0, { replay: { steps } })]);
  const { result, steps: published, verdicts } = await pipeline.committed(0);
  expect(published.map(({ text }) => text)).toEqual(steps);
  expect(published.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(new Set(published.map(({ channel }) => channel))).toEqual(new Set(['content']));
  expect(verdicts.map(({ stepIndex }) => stepIndex).toSorted()).toEqual([0, 1, 2, 3]);
  expect(result).toMatchObject({ outcome: { status: 'answered' }, answer: '42', steps: 4, simulated: false });
  expect(result.usage).toBeNull();
  expect(result.promptEstimate).toBeUndefined();
  expect(pipeline.simulator.requests()).toHaveLength(0);
});

test('under flag every step of a recorded chain is judged, and the smallest flagged one is recorded', async () => {
  const pipeline = await createPipeline({ spec: { intervention: 'flag' } });
  await pipeline.startMonitor(scriptedMonitor((step) => step.index === 1 || step.index === 2));
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep, 0, { replay: { steps } })]);
  const { result, verdicts } = await pipeline.committed(0);
  expect(verdicts).toHaveLength(4);
  expect(result).toMatchObject({ unjudged: 0, superseded: 0, flag: { stepIndex: 1, when: 'recorded' } });
});

test('a recorded chain of more steps than one call carries keeps their order', async () => {
  const many = Array.from({ length: 600 }, (_, index) => `step ${String(index)}`);
  const pipeline = await createPipeline({ spec: { intervention: 'flag' } });
  await pipeline.startMonitor(scriptedMonitor((step) => step.index === 599));
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep, 0, { replay: { steps: many } })]);
  const { result, steps: published } = await pipeline.committed(0);
  expect(published.map(({ text }) => text)).toEqual(many);
  expect(result.flag?.stepIndex).toBe(599);
});
