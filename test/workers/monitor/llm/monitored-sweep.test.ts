import { describe, expect, it } from 'vitest';
import type { CommittedRun } from '../../../../shared/redis/run-store.ts';
import { Bookings } from '../../../../workers/monitor/bookings.ts';
import type { Monitor } from '../../../../workers/monitor/monitor.ts';
import {
  buildJob,
  createPipeline,
  type Pipeline,
  scriptedSteps,
  verdictOn,
} from '../../../support/pipeline.ts';
import { silentLog } from '../../../support/silent-log.ts';
import { gistOf, simulate } from './judging.ts';

/** A chain whose third step holds a wrong sum, which `rules` and the model both know; five steps with the answer. */
const wrong = {
  reasoning: [
    'We start by reading what the question asks for.\n\n',
    'There are two numbers in it, which are to be added.\n\n',
    'Adding them up the usual way gives 20 + 22 = 43 in all.\n\n',
    'That is all that there is to do in this question here.',
  ],
  content: ['The answer is 42.'],
};
const sound = { ...wrong, reasoning: wrong.reasoning.map((text) => text.replace('43', '42')) };

interface Setting {
  readonly name: 'llm' | 'vanilla' | 'cascade';
  readonly model: string;
  readonly chain?: typeof wrong;
  readonly fail?: 'open' | 'closed';
  readonly intervention?: 'halt' | 'flag';
}

/** One guarded run with real workers, watched by a monitor whose model a simulator plays. */
async function runGuarded({ name, model, chain = wrong, fail = 'closed', intervention = 'halt' }: Setting) {
  const judge = await simulate();
  const pipeline = await createPipeline({
    simulator: { script: () => chain },
    spec: {
      ...{ fail, intervention },
      monitors: [
        {
          id: 'rules',
          name,
          config: { apiBaseUrl: judge.url, model },
          timeouts: { totalMs: dead(model) ? 400 : 20_000 },
        },
      ],
    },
  });
  await pipeline.startMonitor();
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep)]);
  const run = await pipeline.committed(0);
  return { run, pipeline, judge };
}

function dead(model: string): boolean {
  return model.endsWith('dead');
}

function gists({ verdicts }: CommittedRun): string[] {
  return verdicts.map((verdict) => gistOf(verdict));
}

async function callsBooked(pipeline: Pipeline): Promise<number> {
  return (await pipeline.store.read({ sweep: pipeline.sweep.id, place: 0 }))?.monitorUse.calls ?? 0;
}

const names = ['llm', 'vanilla', 'cascade'] as const;

describe.each(names)('under %s, a model that is', (name) => {
  it('right halts the run at the wrong step', async () => {
    const { run } = await runGuarded({ name, model: 'sim-monitor' });
    expect(run.result.outcome).toEqual({ status: 'halted', reason: 'verdict' });
    const errorType = name === 'vanilla' ? 'UNKNOWN' : '2b';
    expect(run.result.flag).toMatchObject({ stepIndex: 2, errorType });
    expect(run.result.flag?.rule !== undefined).toBe(name === 'cascade');
  });

  it('right lets a sound run answer, and every call is booked', async () => {
    const { run, pipeline, judge } = await runGuarded({ name, model: 'sim-monitor', chain: sound });
    expect(run.result.outcome).toEqual({ status: 'answered' });
    expect(gists(run)).toEqual(Array(5).fill('NO_ERROR'));
    await expect.poll(() => callsBooked(pipeline)).toBe(5);
    const booked = await pipeline.store.read({ sweep: pipeline.sweep.id, place: 0 });
    expect(booked?.monitorUse.simulatedCalls).toBe(5);
    expect(judge.requests()).toHaveLength(5);
  });

  it('wrong halts a sound run at its first step, with no rule to blame', async () => {
    const { run } = await runGuarded({ name, model: 'sim-monitor-wrong', chain: sound });
    expect(run.result.outcome).toEqual({ status: 'halted', reason: 'verdict' });
    expect(run.result.flag?.stepIndex).toBe(0);
    expect(run.result.flag?.errorType).toBe(name === 'vanilla' ? 'UNKNOWN' : '2a');
    expect(run.result.flag).not.toHaveProperty('rule');
  });

  it('slow holds the answer back until it has judged', async () => {
    const { run } = await runGuarded({ name, model: 'sim-monitor+slow@80', chain: sound });
    expect(run.result.outcome).toEqual({ status: 'answered' });
    expect(run.result.timing.gateWaitMs).toBeGreaterThan(0);
    expect(gists(run)).toEqual(Array(5).fill('NO_ERROR'));
  });

  it.each([
    ['malformed', 'not_json'],
    ['truncated', 'truncated'],
    ['refusing', 'not_json'],
    ['dead', 'timeout'],
  ])(
    '%s is a monitor error: it halts under fail closed, and passes under fail open',
    async (habit, reason) => {
      const model = `sim-monitor-${habit}`;
      const closed = await runGuarded({ name, model, chain: sound, fail: 'closed' });
      expect(closed.run.result.outcome).toEqual({ status: 'halted', reason: 'monitor_error' });
      const open = await runGuarded({ name, model, chain: sound, fail: 'open' });
      expect(open.run.result.outcome).toEqual({ status: 'answered' });
      expect(open.run.result.unjudged).toBe(5);
      expect(gists(open.run)).toEqual(Array(5).fill(reason));
      // An unusable reply is asked for once more; a dead model was given all the time that there is.
      const expected = dead(model) ? 5 : 10;
      await expect.poll(() => callsBooked(open.pipeline)).toBe(expected);
    },
  );
});

describe('cascade', () => {
  it('halts by a rule although its model is dead', async () => {
    const { run } = await runGuarded({ name: 'cascade', model: 'sim-monitor-dead', fail: 'open' });
    expect(run.result.outcome).toEqual({ status: 'halted', reason: 'verdict' });
    expect(run.result.flag).toMatchObject({
      stepIndex: 2,
      errorType: '2b',
      rule: expect.any(String) as string,
    });
  });

  it('does not ask about a step that a rule has flagged, and shows it to the model afterwards', async () => {
    const { run, judge } = await runGuarded({ name: 'cascade', model: 'sim-monitor', intervention: 'flag' });
    expect(gists(run)).toEqual(['NO_ERROR', 'NO_ERROR', '2b', 'NO_ERROR', 'NO_ERROR']);
    const shown = judge
      .requests()
      .map(({ body }) => (JSON.stringify(body).match(/\\"index\\":\d/g) ?? []).length);
    expect(shown.sort()).toEqual([1, 2, 4, 5]);
  });
});

it('once a step is flagged under halt, judgements of later steps are called off', async () => {
  const pipeline = await createPipeline({
    simulator: { script: () => ({ reasoning: scriptedSteps(5), content: ['The answer is 42.'] }) },
  });
  const calledOff: number[] = [];
  let flagStepTwo: () => void = () => undefined;
  const monitor: Monitor = {
    version: 'test',
    watch: () => ({
      judge: (step, { signal }) =>
        new Promise((resolve, reject) => {
          if (step.index < 2) resolve(verdictOn(step, false));
          if (step.index === 2) flagStepTwo = () => resolve(verdictOn(step, true));
          if (step.index === 4) setImmediate(flagStepTwo);
          signal.addEventListener('abort', () => {
            calledOff.push(step.index);
            reject(new Error('called off'));
          });
        }),
    }),
  };
  await pipeline.startMonitor(monitor);
  await pipeline.startGeneration();
  await pipeline.addJobs([buildJob(pipeline.sweep)]);
  const { result, verdicts } = await pipeline.committed(0);
  expect(result.flag?.stepIndex).toBe(2);
  expect(verdicts.map(({ stepIndex }) => stepIndex)).toEqual([0, 1, 2]);
  await expect.poll(() => calledOff.slice(0, 2)).toEqual([3, 4]);
});

it('what a call cost whose run is gone is booked on the sweep as late', async () => {
  const { store, sweeps, sweep } = await createPipeline();
  const bookings = new Bookings(store, sweeps, silentLog);
  const use = { calls: 1, tokensIn: 20, tokensOut: 5, tokensCached: 0 };
  bookings.add({ sweep: sweep.id, place: 7 }, use);
  bookings.add({ sweep: sweep.id, place: 7 }, use);
  await bookings.settled(10_000);
  expect(await sweeps.lateUse(sweep.id)).toEqual({ calls: 2, tokensIn: 40, tokensOut: 10, tokensCached: 0 });
});
