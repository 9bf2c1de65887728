import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../shared/core/random.ts';
import { cutIntoSteps } from '../../../../scripts/bench/rules-data.ts';
import { loopKinds, loopScripts } from '../../../../scripts/bench/rules-loop-kinds.ts';
import { loopShapes } from '../../../../scripts/bench/rules-loops.ts';
import { exactLoopRule } from '../../../../workers/monitor/rules/exact-loop.ts';
import { growingListRule } from '../../../../workers/monitor/rules/growing-list.ts';
import { hesitationRule } from '../../../../workers/monitor/rules/hesitation.ts';
import { createRestatedLoopRule } from '../../../../workers/monitor/rules/restated-loop.ts';
import type { Rule } from '../../../../workers/monitor/rules/rule.ts';
import { createRulesMonitor } from '../../../../workers/monitor/rules/rules-monitor.ts';
import { stepOf } from './step-of.ts';

const problem = { query: 'How many seats are there?', asksForSteps: true };

/** Index of the first step that the rule flags; -1 for none. */
function flaggedAt(rule: Rule, steps: readonly string[]): number {
  const state = rule.begin(problem);
  return steps.findIndex((text, index) => state.inspect(stepOf(text, index, 'reasoning')) !== undefined);
}

const numbered = (count: number, make: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => make(i));
/** A text that no rule can call repetitive. */
const varied = (index: number): string =>
  [...'river lantern orchard signal turbine harbor ticket engine'.split(' ').entries()]
    .map(([i, word]) => `${word}${(index * 31 + i * 17) % 997}`)
    .join(' ');

describe('exact loops', () => {
  it('flags the third copy of a long sentence, not the second', () => {
    const sentence = `The carpenter measures the northern wall and writes the length down before turning to the window of the hall, ${varied(1)}.`;
    expect(flaggedAt(exactLoopRule, [sentence, sentence])).toBe(-1);
    expect(flaggedAt(exactLoopRule, [sentence, sentence, sentence])).toBe(2);
  });

  it('flags a cycle of 40 steps in its third round', () => {
    const round = numbered(40, (i) => `Step of the round: ${varied(i)} and nothing else is known.`);
    const at = flaggedAt(exactLoopRule, [...round, ...round, ...round, ...round]);
    expect(at).toBeGreaterThanOrEqual(80);
    expect(at).toBeLessThanOrEqual(120);
  });

  it('flags a loop without blank lines whose cuts do not fit its period', () => {
    const steps = cutIntoSteps('I should check the seats of the hall again, row by row. '.repeat(60)).map(
      ({ text }) => text,
    );
    expect(flaggedAt(exactLoopRule, steps)).toBe(0);
  });

  it('flags a loop in a script without spaces, and one whose last copy is cut off', () => {
    expect(flaggedAt(exactLoopRule, ['我需要再检查一遍这个答案是否正确。'.repeat(40)])).toBe(0);
    expect(flaggedAt(exactLoopRule, ['no more seats '.repeat(40).slice(0, -5)])).toBe(0);
  });

  it('flags endless punctuation but not a grid of zeros or a ruler', () => {
    expect(
      flaggedAt(
        exactLoopRule,
        numbered(4, () => '!?'.repeat(512)),
      ),
    ).toBe(1);
    expect(flaggedAt(exactLoopRule, [`${'0 '.repeat(20)}\n`.repeat(20), '-'.repeat(200)])).toBe(-1);
  });

  it('passes a refrain', () => {
    expect(
      flaggedAt(
        exactLoopRule,
        numbered(40, (i) => `Wait, let me check. ${varied(i)}`),
      ),
    ).toBe(-1);
  });
});

describe('restated loops', () => {
  it('flags sentences that come back in ever new order', () => {
    const random = createRandom('order');
    const sentences = numbered(8, (i) => `So the ${varied(i)} must be considered here.`);
    const at = flaggedAt(
      createRestatedLoopRule('precise'),
      numbered(60, () => random.shuffle(sentences).join(' ')),
    );
    expect(at).toBeGreaterThan(1);
    expect(at).toBeLessThan(10);
  });

  it('passes a long text that goes on saying new things', () => {
    expect(flaggedAt(createRestatedLoopRule('precise'), numbered(400, varied))).toBe(-1);
  });
});

describe('growing lists', () => {
  it('flags a list past 60 items, with line breaks or without', () => {
    const items = numbered(90, (i) => `${i + 1}. A ${varied(i)}`);
    expect(flaggedAt(growingListRule, [items.slice(0, 60).join('\n'), items.slice(60).join('\n')])).toBe(1);
    expect(flaggedAt(growingListRule, [items.slice(0, 60).join(' '), items.slice(60).join(' ')])).toBe(1);
    expect(flaggedAt(growingListRule, [`Names: ${numbered(200, (i) => `name ${i}`).join(', ')}`])).toBe(0);
  });

  it('flags lists without numbers or marks, and one whose items each have a line to explain them', () => {
    const names = numbered(
      90,
      (i) => `Lantern ${'abcdefghij'.charAt(i % 10)} of hall ${'klmnop'.charAt(i % 6)}`,
    );
    expect(flaggedAt(growingListRule, [names.join('\n')])).toBe(0);
    const explained = numbered(
      90,
      (i) => `${i + 1}. ${varied(i)}\nIt stands by the ${varied(i + 500)}, as before.`,
    );
    expect(flaggedAt(growingListRule, [explained.join('\n\n')])).toBe(0);
  });

  it('passes reasoning whose paragraphs are numbered or have a bullet', () => {
    const reasoning = (mark: (place: number) => string): string[] =>
      numbered(200, (i) => `${mark(i)}${i % 2 === 0 ? varied(i) : `So ${i} + 1 = ${i + 1} seats.`}`);
    expect(
      flaggedAt(
        growingListRule,
        reasoning((i) => `${i + 1}. `),
      ),
    ).toBe(-1);
    expect(
      flaggedAt(
        growingListRule,
        reasoning(() => '- '),
      ),
    ).toBe(-1);
  });

  it('passes a list as long as the problem asks for, and rows of bare numbers', () => {
    const state = growingListRule.begin({ query: 'List 90 words.', asksForSteps: false });
    expect(state.inspect(stepOf(numbered(90, (i) => `- ${varied(i)}`).join('\n')))).toBeUndefined();
    expect(flaggedAt(growingListRule, [numbered(300, String).join(', ')])).toBe(-1);
  });
});

describe('near copies', () => {
  it('flags copies of which every twelfth word or so is another', () => {
    const words = varied(1).concat(' ', varied(2), ' ', varied(3)).split(' ');
    const copies = numbered(60, (i) => words.map((word, at) => (at === i % 24 ? `new${i}` : word)).join(' '));
    const at = flaggedAt(createRestatedLoopRule('precise'), copies);
    expect(at).toBeGreaterThan(2);
    expect(at).toBeLessThan(60);
  });
});

describe('hesitation', () => {
  it('flags the twentieth doubt in a row and passes doubt in every second step', () => {
    expect(
      flaggedAt(
        hesitationRule,
        numbered(40, (i) => `Wait, ${varied(i)}`),
      ),
    ).toBe(19);
    expect(
      flaggedAt(
        hesitationRule,
        numbered(200, (i) => (i % 2 === 0 ? `Hmm, ${varied(i)}` : varied(i))),
      ),
    ).toBe(-1);
  });
});

describe('reported loop shapes', () => {
  it.each(loopShapes)('$name', ({ healthy, build }) => {
    const flags = [0, 1, 2].map((seed) => {
      const chain = createRulesMonitor().watch(problem);
      return cutIntoSteps(build(createRandom(`shape/${seed}`))).some(
        (step) => chain.judge(step).errorType === '3a',
      );
    });
    expect(flags).toEqual(healthy ? [false, false, false] : [true, true, true]);
  });
});

describe('further kinds of loops', () => {
  /** Of scripts without spaces only what stays the same between two changes can be seen, and that is too short. */
  const isOutOfReach = (name: string): boolean => /^(?:Han|Kana|Thai), a word/.test(name);

  it.each([...loopKinds, ...loopScripts])('$name', ({ name, build }) => {
    const flags = [0, 1, 2, 3].map((seed) => {
      const chain = createRulesMonitor().watch(problem);
      return cutIntoSteps(build(createRandom(`kind/${name}/${seed}`))).some(
        (step) => chain.judge(step).errorType === '3a',
      );
    });
    if (isOutOfReach(name)) expect(flags).toEqual([false, false, false, false]);
    else expect(flags.filter(Boolean).length).toBeGreaterThanOrEqual(name.includes('a word of') ? 2 : 4);
  });
});
