import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verdictSchema } from '../../../../shared/schemas/verdict.ts';
import { hostileTexts } from '../../../../scripts/bench/rules-times.ts';
import type { Rule } from '../../../../workers/monitor/rules/rule.ts';
import { createRulesMonitor } from '../../../../workers/monitor/rules/rules-monitor.ts';
import { rawStep } from './step-of.ts';

const problem = { query: 'What is 2 + 2?', asksForSteps: true };
const piece = fc.constantFrom(
  '12',
  '3.5',
  '=',
  '+',
  '*',
  '/',
  '(',
  ')',
  ' ',
  '\n',
  'x',
  'apples',
  '\\frac{',
  '}',
  '{',
  '%',
  '$',
  '^',
  '!',
  ',',
  '.',
  '½',
  '²',
  '\ud83d',
  'wait',
  '1. ',
  '\\text{',
  '...',
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.array(piece, { maxLength: 120 }).map((pieces) => pieces.join('')),
);

describe('rules monitor', () => {
  it('gives a valid verdict on any text, and quotes the step word for word', () => {
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 8 }),
        fc.constantFrom('precise', 'sensitive'),
        (texts, policy) => {
          const chain = createRulesMonitor({ policy }).watch({ query: texts[0] ?? '', asksForSteps: true });
          for (const [index, step] of texts.entries()) {
            const verdict = verdictSchema.parse(chain.judge(rawStep(step, index)));
            expect(verdict.status === 'judged' && step.includes(verdict.errorLocation)).toBe(true);
            expect(verdict.status === 'judged' && verdict.errorLocation.length <= 200).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each(hostileTexts)('judges 20 KiB of $name', ({ text: unit }) => {
    const chain = createRulesMonitor({ policy: 'sensitive' }).watch(problem);
    const step = unit.repeat(1024).slice(0, 1024);
    for (let index = 0; index < 20; index += 1) {
      expect(verdictSchema.safeParse(chain.judge(rawStep(step, index))).success).toBe(true);
    }
  });

  it('gives the same verdicts to a chain that is fed again', () => {
    const steps = ['Let us add.', '2 + 2 = 5', 'So 5 * 3.7 = 18.5', 'The answer is 18.5'];
    const monitor = createRulesMonitor();
    const judgeAll = (): unknown[] => {
      const chain = monitor.watch(problem);
      return steps.map((step, index) => chain.judge(rawStep(step, index)));
    };
    expect(judgeAll()).toEqual(judgeAll());
  });

  it('takes the first finding by priority, and shows every rule every step', () => {
    const seen: string[] = [];
    const rule = (name: string): Rule => ({
      name,
      codes: ['2a'],
      begin: () => ({
        inspect: ({ text: quote, index }) => {
          seen.push(`${name}${index}`);
          return { errorType: '2a', confidence: 0.5, quote, explanation: name };
        },
      }),
    });
    const chain = createRulesMonitor({ rules: [rule('first'), rule('second')] }).watch(problem);
    expect(chain.judge(rawStep('a', 0))).toMatchObject({
      errorDetected: true,
      rule: 'first',
      errorExplanation: 'first',
    });
    chain.judge(rawStep('b', 1));
    expect(seen).toEqual(['first0', 'second0', 'first1', 'second1']);
  });

  it('measures with the clock that it was given', () => {
    let time = 5;
    const chain = createRulesMonitor({ now: () => (time += 2) }).watch(problem);
    expect(chain.judge(rawStep('fine')).durationMs).toBe(2);
  });
});
