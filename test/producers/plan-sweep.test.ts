import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPlan } from '../../producers/plan-sweep.ts';
import { isGuarded } from '../../shared/schemas/arm.ts';
import { generationJobSchema, type GenerationJob } from '../../shared/schemas/job.ts';
import { fakeAttack, fakePlan, fakeQuestions, fakeSpec } from './plan-fixtures.ts';

const target = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  config: { apiBaseUrl: `http://${id}/v1`, model: 'm' },
  ...more,
});
const monitor = (id: string) => ({ id, name: 'rules' });

function jobsOf(plan: ReturnType<typeof fakePlan>): GenerationJob[] {
  return Array.from({ length: plan.blockCount }, (_, index) => plan.block(index)).flat();
}

describe('a plan', () => {
  const twoOfAll = fakeSpec({
    targets: [target('a'), target('b')],
    attacks: ['one', 'two'],
    monitors: [monitor('rules'), monitor('strict')],
    repeat: 2,
  });

  it('has one run for each arm, and guarded arms once for each monitor', () => {
    const plan = fakePlan({ attacks: [fakeAttack('one')], questions: fakeQuestions(1) });
    expect(
      plan
        .block(0)
        .map(({ cases }) => cases[0]?.arm)
        .sort(),
    ).toEqual(['attacked', 'clean', 'guarded', 'guarded-clean']);
    const two = fakePlan({
      spec: fakeSpec({ monitors: [monitor('rules'), monitor('strict')] }),
      attacks: [fakeAttack('one', { hasControl: true })],
      questions: fakeQuestions(1),
    });
    // clean, attacked, control, and 2 guarded arms × 2 monitors
    expect(two.total).toBe(7);
  });

  it('numbers its places 0 to total - 1, block after block', () => {
    const plan = fakePlan({
      spec: twoOfAll,
      attacks: [fakeAttack('one'), fakeAttack('two', { hasControl: true })],
    });
    const jobs = jobsOf(plan);
    expect(jobs.map(({ place }) => place)).toEqual(Array.from({ length: plan.total }, (_, index) => index));
    // one and two share what is clean: clean + 2 guarded-clean, 2 × (attacked + 2 guarded), control; × 3 × 2 × 2
    expect(plan.total).toBe((3 + 6 + 1) * 3 * 2 * 2);
    expect(plan.caseCount).toBe(2 * 3 * 2 * 2);
    for (const job of jobs) expect(generationJobSchema.parse(job)).toEqual(job);
  });

  it('finds the job of any place, and where any block stands, without the others', () => {
    const plan = fakePlan({
      spec: twoOfAll,
      attacks: [fakeAttack('one'), fakeAttack('two', { hasControl: true })],
    });
    const jobs = jobsOf(plan);
    expect(jobs.map(({ place }) => plan.job(place))).toEqual(jobs);
    let next = 0;
    for (let block = 0; block < plan.blockCount; block += 1) {
      expect(plan.span(block)).toEqual({ first: next, size: plan.block(block).length });
      next += plan.block(block).length;
    }
    expect(() => plan.job(plan.total)).toThrow(RangeError);
    expect(() => plan.block(plan.blockCount)).toThrow(RangeError);
  });

  it('is the same for equal arguments, whatever order its blocks are asked in', () => {
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 3 }),
        (seed, count, repeat) => {
          const make = () => fakePlan({ spec: fakeSpec({ seed, repeat }), questions: fakeQuestions(count) });
          const backwards = make();
          const blocks = Array.from({ length: backwards.blockCount }, (_, i) =>
            backwards.block(backwards.blockCount - 1 - i),
          );
          expect(blocks.reverse().flat()).toEqual(jobsOf(make()));
        },
      ),
      { numRuns: 20 },
    );
  });

  it('holds each run id once', () => {
    const jobs = jobsOf(
      fakePlan({ spec: twoOfAll, attacks: [fakeAttack('one'), fakeAttack('two', { cleanText: 'else ' })] }),
    );
    expect(new Set(jobs.map(({ runId }) => runId)).size).toBe(jobs.length);
  });

  it('lets attacks with the same clean prompt share its runs, guarded or not', () => {
    const attacks = [fakeAttack('one', { targetAnswer: '7' }), fakeAttack('two', { targetAnswer: '8' })];
    const plan = fakePlan({ attacks, questions: fakeQuestions(1) });
    const shared = plan.block(0).filter(({ cases }) => cases.length > 1);
    expect(shared.map(({ cases }) => cases.map(({ attack, arm }) => `${attack} ${arm}`)).sort()).toEqual([
      ['one clean', 'two clean'],
      ['one guarded-clean', 'two guarded-clean'],
    ]);
    expect(shared[0]?.cases.map(({ targetAnswer }) => targetAnswer)).toEqual(['7', '8']);
    const apart = fakePlan({
      attacks: [fakeAttack('one'), fakeAttack('two', { cleanText: 'x ' })],
      questions: fakeQuestions(1),
    });
    expect(apart.block(0).every(({ cases }) => cases.length === 1)).toBe(true);
  });

  it('pairs every arm with the clean and the attacked run of its own case', () => {
    const plan = fakePlan({
      spec: twoOfAll,
      attacks: [fakeAttack('one', { hasControl: true }), fakeAttack('two', { cleanText: 'else ' })],
    });
    const jobs = jobsOf(plan);
    let pairs = 0;
    for (const job of jobs) {
      for (const entry of job.cases) {
        expect(entry.clean === undefined).toBe(entry.arm === 'clean');
        expect(entry.attacked === undefined).toBe(entry.arm !== 'guarded' && entry.arm !== 'control');
        for (const [arm, place] of [
          ['clean', entry.clean],
          ['attacked', entry.attacked],
        ] as const) {
          if (place === undefined) continue;
          const other = jobs[place];
          expect(other?.cases).toContainEqual(expect.objectContaining({ caseId: entry.caseId, arm }));
          expect([other?.target, other?.questionId, other?.repeat, other?.seed]).toEqual([
            job.target,
            job.questionId,
            job.repeat,
            job.seed,
          ]);
          expect(other?.guard).toBeUndefined();
          pairs += 1;
        }
      }
    }
    expect(pairs).toBeGreaterThan(100);
  });

  it('has no clean places when the spec has no clean arm', () => {
    const jobs = jobsOf(fakePlan({ spec: fakeSpec({ arms: ['attacked', 'guarded'] }) }));
    expect(jobs.flatMap(({ cases }) => cases).every(({ clean }) => clean === undefined)).toBe(true);
    expect(jobs).toHaveLength(6);
  });

  it('draws one decoding seed a case, for all its arms, and another for each repeat and target', () => {
    const jobs = jobsOf(fakePlan({ spec: twoOfAll, questions: fakeQuestions(2) }));
    const seeds = new Set(
      jobs.map(({ seed, target: id, questionId, repeat }) => [seed, id, questionId, repeat].join('/')),
    );
    expect(new Set(jobs.map(({ seed }) => seed)).size).toBe(2 * 2 * 2);
    expect(seeds.size).toBe(2 * 2 * 2);
    expect(jobs.every(({ seed }) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)).toBe(true);
  });

  it('gives attacks a seed that knows neither target nor repeat', () => {
    const attack = fakeAttack('one');
    jobsOf(fakePlan({ spec: twoOfAll, attacks: [attack], questions: fakeQuestions(2) }));
    expect(new Set(attack.seeds)).toEqual(new Set(['0/one/numbers/q0', '0/one/numbers/q1']));
  });

  it('shows a monitor the problem of its own arm, in the view that it sees', () => {
    const views = ['user', 'original', 'prompt'].map((sees) => {
      const spec = fakeSpec({ monitors: [{ id: 'rules', name: 'rules', sees }] });
      const block = fakePlan({ spec, questions: fakeQuestions(1) }).block(0);
      const query = (arm: string) => block.find(({ cases }) => cases[0]?.arm === arm)?.guard?.problem.query;
      return [query('guarded'), query('guarded-clean')];
    });
    expect(views).toEqual([
      ['one! What is 0 + 1?', 'What is 0 + 1?'],
      ['What is 0 + 1?', 'What is 0 + 1?'],
      ['one! What is 0 + 1?', 'What is 0 + 1?'],
    ]);
    const unguarded = fakePlan({})
      .block(0)
      .filter(({ cases }) => !isGuarded(cases[0]?.arm ?? 'clean'));
    expect(unguarded.map(({ guard }) => guard)).toEqual([undefined, undefined]);
  });

  it('changes a run id with what is asked, and not with the address it is asked at', () => {
    const idsOf = (more: Record<string, unknown>, versions: Record<string, string> = { rules: '1' }) => {
      const attack = fakeAttack('one');
      const plan = createPlan({
        sweep: 'test-0',
        spec: fakeSpec(more),
        attacks: [{ id: 'one', attack, parameters: {} }],
        datasets: [{ id: 'numbers', extractor: 'number', questions: fakeQuestions(1) }],
        monitorVersions: versions,
      });
      return new Map(plan.block(0).map(({ runId, cases }) => [cases[0]?.arm, runId]));
    };
    const base = idsOf({ targets: [target('a')] });
    const moved = {
      ...target('a'),
      config: { apiBaseUrl: 'http://elsewhere/v1', model: 'm', apiKeyEnv: 'KEY' },
      concurrency: 3,
    };
    expect(idsOf({ targets: [moved] })).toEqual(base);
    const changedBy = (more: Record<string, unknown>, versions?: Record<string, string>) => {
      const ids = idsOf({ targets: [target('a')], ...more }, versions);
      return [...base]
        .filter(([arm, id]) => ids.get(arm) !== id)
        .map(([arm]) => arm)
        .sort();
    };
    const guarded = ['guarded', 'guarded-clean'];
    const all = ['attacked', 'clean', ...guarded];
    expect(changedBy({ targets: [target('a', { decoding: { maxTokens: 9 } })] })).toEqual(all);
    expect(
      changedBy({
        targets: [{ ...target('a'), config: { ...target('a').config, extraBody: { top_k: 1 } } }],
      }),
    ).toEqual(all);
    expect(changedBy({ segmentation: 'paper' })).toEqual(all);
    expect(changedBy({ seed: 1 })).toEqual(all);
    expect(changedBy({ intervention: 'flag' })).toEqual(guarded);
    expect(changedBy({ fail: 'open' })).toEqual(guarded);
    expect(changedBy({ monitors: [{ name: 'rules', policy: 'sensitive' }] })).toEqual(guarded);
    expect(changedBy({}, { rules: '2' })).toEqual(guarded);
    expect(changedBy({ monitor: { stepTimeoutMs: 1000 } })).toEqual(guarded);
    expect(changedBy({ monitor: { chains: 9 } })).toEqual([]);
  });

  it('shuffles the runs of a block by the seed', () => {
    const orders = Array.from({ length: 20 }, (_, seed) =>
      fakePlan({ spec: fakeSpec({ seed }), questions: fakeQuestions(1) })
        .block(0)
        .map(({ cases }) => cases[0]?.arm)
        .join(),
    );
    expect(new Set(orders).size).toBeGreaterThan(5);
  });

  it('of a million runs is made by rendering each question once, and holds no jobs', () => {
    const attack = fakeAttack('one');
    const spec = fakeSpec({ targets: [target('a'), target('b')], repeat: 1250 });
    const plan = fakePlan({ spec, attacks: [attack], questions: fakeQuestions(100) });
    expect(plan.total).toBe(1_000_000);
    expect(attack.renders).toBe(100);
    expect(plan.job(999_999).place).toBe(999_999);
    expect(attack.renders).toBe(101);
  });

  it('refuses a question whose job would be over 4 MiB, by its id', () => {
    const big = {
      ...fakeQuestions(1)[0],
      id: 'the-big-one',
      dataset: 'numbers',
      answer: '1',
      question: 'x'.repeat(4_200_000),
    };
    expect(() => fakePlan({ questions: [...fakeQuestions(2), big] })).toThrow(
      /^question the-big-one of data set numbers: its job for target target-a would take \d+ bytes, expected at most 4194304$/,
    );
    // A guarded job holds the question twice, in its messages and in the monitor's problem.
    expect(fakePlan({ questions: [{ ...big, question: 'x'.repeat(2_090_000) }] }).total).toBe(4);
    expect(() => fakePlan({ questions: [{ ...big, question: 'x'.repeat(2_110_000) }] })).toThrow(
      'the-big-one',
    );
  });

  it('without any run is refused', () => {
    expect(() => fakePlan({ spec: fakeSpec({ arms: ['control'] }) })).toThrow(
      'arms: got control, which plan no run: control needs an attack that has one (badchain)',
    );
    expect(() => fakePlan({ spec: fakeSpec({ arms: ['guarded'], monitors: [] }) })).toThrow(
      'arms: got guarded, which plan no run: guarded needs a monitor',
    );
  });
});
