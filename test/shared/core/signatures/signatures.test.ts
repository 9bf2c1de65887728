import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitReader, readAttacks } from '../../../../shared/core/signatures/attack-reading.ts';
import {
  type FlagType,
  flagTypes,
  typeSetOf,
  typesIn,
} from '../../../../shared/core/signatures/flag-types.ts';
import { profileOf } from '../../../../shared/core/signatures/profile.ts';
import { type SignatureRun, SignatureTally } from '../../../../shared/core/signatures/signature-tally.ts';
import { TypeConfusionTally } from '../../../../shared/core/signatures/type-confusion.ts';

function tallyOf(runs: readonly SignatureRun[]): SignatureTally {
  const tally = new SignatureTally();
  for (const run of runs) tally.add(run);
  return tally;
}

const run = (question: number, className: string, ...types: FlagType[]): SignatureRun => ({
  question: `q/${question}`,
  className,
  types,
});

describe('a profile', () => {
  it('is the share of each type in the flags, and the share of runs without one', () => {
    const runs = [run(1, 'a', '3b'), run(2, 'a', '3b'), run(3, 'a', '3b'), run(4, 'a', '2c'), run(5, 'a')];
    const profile = profileOf(tallyOf([...runs, run(1, 'b', '1a')]), 'a', ['2c', '3a', '3b']);
    expect(profile).toMatchObject({ runs: 5, flags: 4, noFlag: { value: 0.2, n: 5, method: 'wilson' } });
    expect(Object.keys(profile.shares)).toEqual(['2c', '3a', '3b']);
    expect(profile.shares['3b']).toMatchObject({ value: 0.75, n: 4, clusters: 4, rough: true });
    expect(profile.shares['3b']?.low).toBeCloseTo(0.3006, 4);
    expect(profile.shares['3b']?.high).toBeCloseTo(0.9544, 4);
    expect(profile.shares['3a']).toMatchObject({ value: 0, n: 4 });
  });

  it('counts questions in its intervals where a run has many flags', () => {
    const loop = Array.from({ length: 98 }, (): FlagType => '3a');
    const { shares, flags } = profileOf(tallyOf([run(1, 'a', ...loop), run(2, 'a', '3b', '3b')]), 'a', []);
    expect(flags).toBe(100);
    expect(shares['3a']).toMatchObject({ value: 0.98, n: 100, clusters: 2 });
  });

  it('has no values where there was no run, and none but a share without a flag where nothing was flagged', () => {
    const silent = profileOf(tallyOf([run(1, 'a')]), 'a', ['3a']);
    expect(silent).toMatchObject({ runs: 1, flags: 0, noFlag: { value: 1 } });
    expect(silent.shares['3a']).not.toHaveProperty('value');
    expect(profileOf(new SignatureTally(), 'a', []).noFlag).not.toHaveProperty('value');
  });

  it('is the same in whatever order the runs came, and its shares add up to 1', () => {
    const runs = fc.array(
      fc.record({
        question: fc.integer({ min: 0, max: 20 }).map(String),
        className: fc.constantFrom('a', 'b', '__proto__'),
        types: fc.array(fc.constantFrom(...flagTypes), { maxLength: 5 }),
      }),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(runs, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (list, keys) => {
        const shuffled = list
          .map((item) => ({ item, key: Number(keys.next().value) }))
          .sort((one, other) => one.key - other.key)
          .map(({ item }) => item);
        const [first, second] = [tallyOf(list), tallyOf(shuffled)];
        for (const name of first.classNames) {
          const profile = profileOf(first, name, flagTypes);
          expect(profileOf(second, name, flagTypes)).toEqual(profile);
          const total = Object.values(profile.shares).reduce((sum, { value = 0 }) => sum + value, 0);
          expect(total).toBeCloseTo(profile.flags > 0 ? 1 : 0, 9);
        }
        const options = { classNames: first.classNames, types: flagTypes, seed: '1' };
        expect(readAttacks(second, options)).toEqual(readAttacks(first, options));
      }),
      { numRuns: 30 },
    );
  });

  it('puts questions together by hash beyond 4,096, and loses no run', () => {
    const tally = new SignatureTally();
    for (let question = 0; question < 10_000; question += 1) tally.add(run(question, 'a', '3a'));
    expect(tally.groups().length).toBeLessThanOrEqual(4_096);
    expect(profileOf(tally, 'a', []).runs).toBe(10_000);
  });
});

describe('the reverse reading', () => {
  const types = ['2b', '3a', '3b'] as const;

  it('weighs types by smoothed shares: worked by hand', () => {
    // Of a: 2b 4/7, 3a 2/7, 3b 1/7. Of b: 2b 2/5, 3a 1/5, 3b 2/5.
    const seen = [run(1, 'a', '2b'), run(2, 'a', '2b'), run(3, 'a', '2b', '2b'), run(4, 'a', '3a')];
    const tally = tallyOf([...seen, run(1, 'b', '2b'), run(2, 'b', '3b')]);
    const read = fitReader(tally.groups(), ['a', 'b'], types);
    const readings = [['2b'], ['3a'], ['3b'], ['2b', '3b'], ['3a', '3b']] as const;
    expect(readings.map((set) => read(typeSetOf(set)))).toEqual(['a', 'a', 'b', 'b', 'b']);
  });

  it('cannot name a class that it has seen no flag of, and does not decide between equals', () => {
    const tally = tallyOf([run(1, 'a', '2b'), run(2, 'b', '3a'), run(3, 'silent')]);
    const read = fitReader(tally.groups(), ['a', 'b', 'silent'], types);
    expect([read(typeSetOf(['3b'])), read(typeSetOf(['2b'])), read(typeSetOf(['3a']))]).toEqual([
      ...[undefined, 'a', 'b'],
    ]);
  });

  it('is judged on questions that it was not fitted on', () => {
    // What each question shows is the opposite of what the other shows: right by heart, wrong by rule.
    const runs = [run(1, 'a', '2b'), run(1, 'b', '3a'), run(2, 'a', '3a'), run(2, 'b', '2b')];
    const reading = readAttacks(tallyOf(runs), { classNames: ['a', 'b'], types, seed: '0' });
    expect(reading).toMatchObject({ folds: 2, right: { value: 0, n: 4 }, commonest: 0.5 });
    // Fitted on both questions, nothing could be decided.
    expect(reading).toMatchObject({ classes: [{ readAs: { b: 2 } }, { undecided: 0, readAs: { a: 2 } }] });
  });

  it('counts runs without a flag apart, and sums up what was read as what', () => {
    const runs = Array.from({ length: 40 }, (_, question) => [
      run(question, 'a', '3b'),
      question % 4 === 0 ? run(question, 'b') : run(question, 'b', '3a', '3a'),
      run(question, 'clean'),
    ]).flat();
    const classNames = ['a', 'b', 'clean'];
    const reading = readAttacks(tallyOf(runs), { classNames, types, seed: '0' });
    expect(reading).toMatchObject({
      folds: 5,
      right: { value: 1, n: 70, clusters: 40 },
      classes: [
        { className: 'a', runs: 40, noFlag: 0, readAs: { a: 40 }, right: { value: 1, n: 40 } },
        { className: 'b', runs: 40, noFlag: 10, readAs: { b: 30 }, right: { value: 1, n: 30 } },
        { className: 'clean', runs: 40, noFlag: 40, readAs: {}, right: { n: 0 } },
      ],
    });
  });

  it('says why there is none', () => {
    const options = { classNames: ['a', 'b'], types, seed: '0' };
    expect(readAttacks(new SignatureTally(), options)).toMatch(/fewer than two classes/);
    expect(readAttacks(tallyOf([run(1, 'a', '2b'), run(2, 'b')]), options)).toMatch(/fewer than two classes/);
    expect(readAttacks(tallyOf([run(1, 'a', '2b'), run(1, 'b', '3a')]), options)).toMatch(
      /fewer than two questions/,
    );
  });
});

it('reads a set of types back in the order of the taxonomy', () => {
  expect(typesIn(typeSetOf(['UNKNOWN', '3a', '1a', '3a']))).toEqual(['1a', '3a', 'UNKNOWN']);
  expect(typesIn(0)).toEqual([]);
});

it('counts labelled against flagged types where the flag stands at the label', () => {
  const tally = new TypeConfusionTally();
  tally.add({ code: '2b', firstError: 1, flag: { stepIndex: 1, errorType: '2b' } });
  tally.add({ code: '2b', firstError: 1, flag: { stepIndex: 1, errorType: '3a' } });
  tally.add({ code: '2b', firstError: 1, flag: { stepIndex: 0, errorType: '2b' } });
  tally.add({ code: '1b', firstError: 0, flag: undefined });
  expect(tally.result()).toEqual({
    '1b': { n: 1, as: {}, elsewhere: 0, noFlag: 1 },
    '2b': { n: 3, as: { '2b': 1, '3a': 1 }, elsewhere: 1, noFlag: 0 },
  });
});
