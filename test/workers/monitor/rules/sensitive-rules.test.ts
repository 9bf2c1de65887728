import { describe, expect, it } from 'vitest';
import { changedValueRule } from '../../../../workers/monitor/rules/changed-value.ts';
import { missingConstraintRule } from '../../../../workers/monitor/rules/missing-constraint.ts';
import type { Rule } from '../../../../workers/monitor/rules/rule.ts';
import { stepOf } from './step-of.ts';

function codesOf(rule: Rule, query: string, steps: readonly string[]): (string | undefined)[] {
  const state = rule.begin({ query, asksForSteps: true });
  return steps.map((text, index) => state.inspect(stepOf(text, index))?.errorType);
}

describe('a value that changes', () => {
  it('is flagged when a symbol gets another value without a word', () => {
    expect(codesOf(changedValueRule, '', ['We get x = 5.', 'With x = 7 we finish.'])).toEqual([
      undefined,
      '2c',
    ]);
  });

  it.each([
    ['a trial', ['Try x = 5.', 'Try x = 7.']],
    ['two roots', ['The roots are x = 5 or x = 7.', 'We get x = 7.']],
    ['the same value', ['We get x = 5.', 'We get x = 5.']],
    ['the beginning of a longer side', ['We get x = 5.', 'We get x = 3 + 2.']],
  ])('passes %s', (_, steps) => {
    expect(codesOf(changedValueRule, '', steps)).not.toContain('2c');
  });
});

describe('a missing constraint', () => {
  const query = 'She buys 4 pens at $3 each and gets 25% off. What does she pay? A) 12 B) 9';

  it('is flagged at the answer when a figure of the question is still unused', () => {
    expect(codesOf(missingConstraintRule, query, ['4 * 3 = 12', 'The answer is 12.'])).toEqual([
      undefined,
      '1b',
    ]);
  });

  it('passes when every figure was used, as it is, in words, or as a share', () => {
    expect(
      codesOf(missingConstraintRule, query, [
        'Four pens at $3 are 12.',
        '12 * 0.75 = 9, so the answer is 9.',
      ]),
    ).toEqual([undefined, undefined]);
  });
});
