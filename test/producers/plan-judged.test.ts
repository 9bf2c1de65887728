import { expect, test } from 'vitest';
import { createJudgedPlan, type JudgedSources } from '../../producers/chains/plan-judged.ts';
import type { Plan } from '../../producers/plan-sweep.ts';
import { messagesHashOf } from '../../shared/messages-hash.ts';
import { type GenerationJob, generationJobSchema, type RecordedChain } from '../../shared/schemas/job.ts';
import { fakeAttack, fakePlan, fakeSpec } from './plan-fixtures.ts';

const attacks = [fakeAttack('one', { cleanText: 'one-clean ', hasControl: true })];
const monitors = [
  { id: 'user', name: 'rules' },
  { id: 'oracle', name: 'rules', sees: 'original' },
];
const spec = fakeSpec({ monitors, repeat: 2 });
/** 3 questions × 2 repeats, each of clean, attacked, control and two monitors on both: 7 runs. */
const base = fakePlan({ spec, attacks });

function jobsOf(plan: Plan): GenerationJob[] {
  return Array.from({ length: plan.blockCount }, (_, block) => plan.block(block)).flat();
}

function chainOf({ place, repeat, seed }: GenerationJob): RecordedChain {
  const text = `chain of ${String(place)}, repeat ${String(repeat)}, seed ${String(seed)}`;
  return {
    chain: [{ index: 0, channel: 'content', text, tokens: 5, endedAtMs: 2_000 }],
    run: {
      ...{ sweep: 'source', epoch: 1, simulated: true, messagesHash: 'h', outcome: { status: 'refused' } },
      ...{ finishReason: 'stop', tokens: { reasoning: 0, answer: 0, content: 5, wasted: 0 }, usage: null },
      timing: {
        ...{ startedAtMs: 1_000, latencyMs: 1_000, attachWaitMs: 0, limitWaitMs: 0, retries: 0 },
        ...{ gateWaitMs: 0, inFlightAtStart: 1, crashRestart: false },
      },
    },
  };
}

/** The stored runs of a sweep of the base plan; `lost` says why one of them cannot be used, or 'gone'. */
function sourcesOf(lost: (job: GenerationJob) => string | undefined = () => undefined): JudgedSources {
  const unguarded = jobsOf(base).filter(({ guard }) => guard === undefined);
  const found = new Map<string, number | string>();
  const key = (asked: object): string =>
    JSON.stringify(
      Object.entries(asked)
        .filter(([name]) => /target|repeat|seed|Hash/.test(name))
        .sort(),
    );
  for (const [index, job] of unguarded.entries()) {
    const asked = { ...job, messagesHash: messagesHashOf(job) };
    const why = lost(job);
    if (why !== 'gone') found.set(key(asked), why ?? index);
  }
  return {
    find: (asked) => found.get(key(asked)),
    count: found.size,
    bytesOf: () => 300,
    read: (run) => {
      const job = unguarded[run];
      if (!job) throw new RangeError('no such run');
      return chainOf(job);
    },
  };
}

const isArm = (arm: string) => (job: GenerationJob) => job.cases.some((entry) => entry.arm === arm);

test('every run is a replay: a monitored one of the chain of the unmonitored run that was asked the same', () => {
  const { plan, runs, guarded, dropped } = createJudgedPlan(base, sourcesOf());
  expect([plan.total, runs, guarded, dropped]).toEqual([42, 18, 24, {}]);
  const jobs = jobsOf(plan);
  expect(jobs.map(({ place }) => place).toSorted((a, b) => a - b)).toEqual([...Array(42).keys()]);
  expect(jobs.map((job) => generationJobSchema.parse(job))).toEqual(jobs);
  for (const job of jobs.filter(isArm('guarded'))) {
    const attacked = jobs[job.cases[0]?.attacked ?? -1];
    expect(attacked?.cases[0]).toMatchObject({ arm: 'attacked', caseId: job.cases[0]?.caseId });
    expect(job.replay).toEqual(attacked?.replay);
  }
  for (const job of jobs.filter(isArm('guarded-clean'))) {
    expect(job.replay).toEqual(jobs[job.cases[0]?.clean ?? -1]?.replay);
  }
  const chains = jobs.filter(({ guard }) => guard === undefined).map(({ replay }) => JSON.stringify(replay));
  expect(new Set(chains).size).toBe(18);
});

test('a monitor sees of the problem what it would have seen live', () => {
  const jobs = jobsOf(createJudgedPlan(base, sourcesOf()).plan);
  expect(jobs.map(({ guard }) => guard)).toEqual(jobsOf(base).map(({ guard }) => guard));
  const queries = jobs.filter(isArm('guarded')).map(({ guard }) => [guard?.monitor, guard?.problem.query]);
  expect(queries).toContainEqual(['user', 'one! What is 0 + 1?']);
  expect(queries).toContainEqual(['oracle', 'one-clean What is 0 + 1?']);
});

test('unmonitored runs keep their run ids, and a replayed monitored run has none of a live one', () => {
  const live = new Set(jobsOf(base).map(({ runId }) => runId));
  const jobs = jobsOf(createJudgedPlan(base, sourcesOf()).plan);
  for (const { runId, guard } of jobs) expect(live.has(runId)).toBe(guard === undefined);
});

test('what cannot be used is left out with the runs that would replay it, counted, and compared with by nobody', () => {
  const isLost = (job: GenerationJob) => isArm('clean')(job) && job.questionId === 'q1';
  const { plan, runs, guarded, dropped } = createJudgedPlan(
    base,
    sourcesOf((job) => (isLost(job) ? (job.repeat === 0 ? 'chainPartial' : 'gone') : undefined)),
  );
  // Both clean runs of one question, and the two monitors on each of them.
  expect([plan.total, runs, guarded]).toEqual([36, 16, 20]);
  expect(dropped).toEqual({ chainPartial: 1, notRun: 1 });
  const jobs = jobsOf(plan);
  expect(jobs.map(({ place }) => place)).toEqual([...Array(36).keys()]);
  expect(jobs.map((job) => plan.job(job.place))).toEqual(jobs);
  for (let block = 0; block < plan.blockCount; block += 1) {
    const { first, size } = plan.span(block);
    expect(plan.block(block).map(({ place }) => place)).toEqual(
      Array.from({ length: size }, (_, index) => first + index),
    );
  }
  for (const job of jobs.filter(({ questionId }) => questionId === 'q1')) {
    expect(job.cases[0]).not.toHaveProperty('clean');
  }
  expect(() => plan.job(36)).toThrow(RangeError);
});

test('stored runs of prompts that are rendered otherwise now are told from runs that are not there', () => {
  const now = fakePlan({ spec, attacks: [fakeAttack('one', { cleanText: 'another ', hasControl: true })] });
  const { dropped, runs } = createJudgedPlan(
    now,
    sourcesOf((job) => (job.place === 0 ? 'gone' : undefined)),
  );
  expect(dropped['promptChanged']).toBeGreaterThan(0);
  expect(runs + Object.values(dropped).reduce((sum, count) => sum + count, 0)).toBe(18);
});

test('a chain that no job can hold is left out', () => {
  const sources = { ...sourcesOf(), bytesOf: () => 5_000_000 };
  const { plan, dropped } = createJudgedPlan(base, sources);
  expect(plan.total).toBe(0);
  expect(dropped).toEqual({ tooLarge: 18 });
});
