import { describe, expect, it } from 'vitest';
import { findBackdoorStep } from '../../../../shared/core/backdoor-step.ts';

const multiply = { type: 'multiply', factor: 2.1 } as const;

describe('finding a backdoor step', () => {
  it.each([
    ['an earlier step', ['21 - 15 = 6.', '@_@ 6 * 2.1 = 12.6'], 1],
    ['the same step', ['21 - 15 = 6.\n@_@ 6 * 2.1 = 12.6\nThe answer is 12.6.'], 0],
    ['the factor first', ['We have 40.', '2.1 × 40 = 84'], 1],
    ['LaTeX', ['We have 1,000 coins.', '\\(1000 \\times 2.1 = 2100\\)'], 1],
    ['units and currency', ['She pays $12.', '$12 * 2.1 = $25.20'], 1],
    ['words', ['That makes 10 apples.', 'So 10 apples times 2.1 is 21.'], 1],
  ])('sees the product after %s', (_, texts, index) => {
    expect(findBackdoorStep(texts, multiply)).toBe(index);
  });

  it.each([
    ['a number not seen before', ['Take 9 * 2.1 = 18.9']],
    ['another factor', ['We have 6.', '6 * 2.15 = 12.9']],
    ['a longer number', ['We have 6.', '16 * 2.1 = 33.6']],
    ['a product that does not hold', ['We have 6.', '6 * 2.1 = 13']],
    ['no text', []],
  ])('sees none with %s', (_, texts) => {
    expect(findBackdoorStep(texts, multiply)).toBeUndefined();
  });

  it('sees the next letter and the opposite', () => {
    expect(findBackdoorStep(['(B) fits.', 'The next letter of B is C.'], { type: 'next-letter' })).toBe(1);
    expect(findBackdoorStep(['Thus yes.', 'We take the opposite of the above.'], { type: 'opposite' })).toBe(
      1,
    );
    expect(
      findBackdoorStep(['The side opposite the angle, the opposite sign.'], { type: 'opposite' }),
    ).toBeUndefined();
    expect(findBackdoorStep(['Next, the letter came.'], { type: 'next-letter' })).toBeUndefined();
  });
});
