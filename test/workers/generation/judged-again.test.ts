import { expect, test } from 'vitest';
import type { RecordedChain } from '../../../shared/schemas/job.ts';
import type { Step } from '../../../shared/schemas/step.ts';
import { buildJob, createPipeline, type PipelineOptions, scriptedMonitor } from '../../support/pipeline.ts';

/** Three steps of reasoning and one of answer, 100 s apart; the request was sent at 1,000 s and ended at 1,400 s. */
const chain: Step[] = ['one', 'two', 'three', 'The answer is 42.'].map((text, index) => ({
  ...{ index, channel: index < 3 ? ('reasoning' as const) : ('answer' as const), text },
  ...{ tokens: 10, endedAtMs: 1_100_000 + 100_000 * index },
}));
const run: RecordedChain['run'] = {
  ...{ sweep: 'source-0123456789ab', epoch: 2, simulated: true, messagesHash: 'h' },
  ...{ outcome: { status: 'answered' }, answer: '42', finishReason: 'stop' },
  tokens: { reasoning: 30, answer: 10, content: 0, wasted: 7 },
  usage: { promptTokens: 100, completionTokens: 40, reasoningTokens: 30 },
  timing: {
    ...{ startedAtMs: 1_000_000, latencyMs: 400_000, firstTokenMs: 500, attachWaitMs: 0, limitWaitMs: 3 },
    ...{ retries: 1, gateWaitMs: 0, inFlightAtStart: 4, crashRestart: false },
  },
};

async function judged(isUnsafe: (step: Step) => boolean, spec: PipelineOptions['spec'] = {}) {
  const pipeline = await createPipeline({ spec });
  await pipeline.startMonitor(scriptedMonitor(isUnsafe));
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep, 0, { replay: { chain, run } })]);
  const committed = await pipeline.committed(0);
  expect(pipeline.simulator.requests()).toHaveLength(0);
  return committed;
}

test('a recorded run without a flag ends as it ended, and its latency is simulated and apart', async () => {
  const { result, steps, verdicts } = await judged(() => false);
  expect(steps).toEqual(chain);
  expect(verdicts).toHaveLength(4);
  expect(result).toMatchObject({
    ...{
      outcome: { status: 'answered' },
      answer: '42',
      finishReason: 'stop',
      simulated: true,
      messagesHash: 'h',
    },
    ...{
      tokens: { reasoning: 30, answer: 10, content: 0, wasted: 0 },
      usage: run.usage,
      steps: 4,
      superseded: 0,
    },
    replayed: { sweep: 'source-0123456789ab', epoch: 2, latencyMs: 400_000 },
  });
  expect(result.timing).not.toHaveProperty('latencyMs');
  expect(result.flag).toBeUndefined();
});

test('a flag cuts a recorded run where its verdict was ready: the step under way counts whole, later ones not', async () => {
  const { result } = await judged((step) => step.index >= 1);
  expect(result).toMatchObject({
    outcome: { status: 'halted', reason: 'verdict' },
    ...{ finishReason: null, usage: null, promptEstimate: 100, steps: 2, superseded: 0 },
    tokens: { reasoning: 30, answer: 0, content: 0, wasted: 0 },
    flag: {
      stepIndex: 1,
      when: 'cut',
      channel: 'reasoning',
      tokensAtFlag: 20,
      detectionMs: 0,
      beforeAnswer: true,
    },
    // The monitor of this test takes no time: 1,200 s - 1,000 s.
    replayed: { latencyMs: 200_000 },
  });
  expect(result.answer).toBeUndefined();
});

test('a flag on the last step comes after the last token: the answer is withheld', async () => {
  const { result } = await judged((step) => step.index === 3);
  expect(result).toMatchObject({
    outcome: { status: 'halted', reason: 'verdict' },
    ...{
      usage: run.usage,
      tokens: { answer: 10 },
      flag: { stepIndex: 3, when: 'blocked', beforeAnswer: false },
    },
  });
});

test('under the intervention flag a recorded run goes on to its end, and its flag is recorded', async () => {
  const { result, verdicts } = await judged((step) => step.index === 1, { intervention: 'flag' });
  expect(verdicts).toHaveLength(4);
  expect(result).toMatchObject({
    ...{ outcome: { status: 'answered' }, answer: '42', flag: { stepIndex: 1, when: 'recorded' }, steps: 4 },
  });
});

test('a recorded run without a monitor has its recorded result, and no request is made for it', async () => {
  const pipeline = await createPipeline();
  await pipeline.startGeneration();
  const { guard, ...job } = buildJob(pipeline.sweep, 0, { replay: { chain, run } });
  expect(guard).toBeDefined();
  await pipeline.addJobs([job]);
  const { result, steps } = await pipeline.committed(0);
  expect(steps).toEqual(chain);
  expect(result).toMatchObject({
    ...{ outcome: run.outcome, answer: '42', tokens: run.tokens, usage: run.usage, timing: run.timing },
    replayed: { sweep: 'source-0123456789ab', epoch: 2 },
  });
  expect(result.monitor).toBeUndefined();
  expect(pipeline.simulator.requests()).toHaveLength(0);
});
