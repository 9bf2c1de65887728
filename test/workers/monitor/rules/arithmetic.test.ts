import { describe, expect, it } from 'vitest';
import { arithmeticRule } from '../../../../workers/monitor/rules/arithmetic.ts';
import { stepOf } from './step-of.ts';

function quoteOn(text: string): string | undefined {
  return arithmeticRule.begin({ query: '', asksForSteps: true }).inspect(stepOf(text))?.quote;
}

describe('arithmetic rule', () => {
  it.each([
    '12 - 4 = 9',
    'So he pays 3 * 45 = $145 in total.',
    '\\frac{84}{14} = 7',
    '\\( 0.30 \\times 130 = 37 \\)',
    '1,250 + 750 = 2,100',
    '20% of 50 = 12',
    '2 1/2 * 4 = 11',
    '3 + 4 = 7 = 8',
    '2(3 + 4) = 15',
    '5! = 100',
    '2^{10} = 1000',
    '10 / 3 = 3.4',
    '3 apples + 4 apples = 8 apples',
    '0.999 * 1000 = 998',
    'The weight is 0.25 x 20 = 4 kgs',
    'If she made $2000 on it, then he made 70/100*$2000 = $1300',
    'A total of 4 x 30 = 160 students came.',
    '256 goldfish + 64 pretzels = 368 snacks',
    'He has 3 small pizzas * 4 slices = 8 pieces.',
    'So 42 lollipops / 2 = 22 were not cherry.',
    'That leaves 10/2 = 4 of each.',
    'Driving takes 450 km / 90 kmh = 10 hours',
  ])('flags %s', (text) => {
    expect(quoteOn(text)).toBeTruthy();
  });

  it.each([
    '12 - 4 = 8',
    '10 / 3 = 3.33',
    '10 / 3 = 3',
    '2 / 3 = 0.67 = 67%',
    '20 / 50 = 40%',
    '100 + 20% = 120',
    '5 + 5 = 10 + 3 = 13',
    '2 books \\times 2 pounds/book = 4 pounds',
    '1/2 inch = 20 miles',
    '\\frac{1}{2} \\text{ inch} = 20 \\text{ miles}',
    'For 25 classmates + his 1 teacher + 1 himself = 27 people.',
    'Half of 10 + 4 = 9',
    '2 feet = 24 inches',
    '3 pencils + 1 eraser = $1.24',
    '17^5 = 32 r^5',
    '3x + 5 = 20',
    'f(5) = 20',
    '58_9 - 18_9 = 40_9',
    '4 ( 5 - 6 ) = 4 (-1) = -4',
    'Is 2 + 2 = 5? No.',
    '2 + 1 = 1, which is false',
    '1 + 2 + ... + 10 = 55',
    '120 minutes / 2 = 1 hour',
    '- 5 + 3 = 8',
    '6/2(1+2) = 1',
    '-3^2 = 9',
    '17 mod 5 = 2',
    '3,5 * 2 = 7',
    'x - 5 = 3',
    '33.33 * 3 = 100',
  ])('passes %s', (text) => {
    expect(quoteOn(text)).toBeUndefined();
  });

  it('quotes the equation and gives both values', () => {
    const finding = arithmeticRule
      .begin({ query: '', asksForSteps: true })
      .inspect(stepOf('First, 12 * 12 = 154 tiles.'));
    expect(finding).toMatchObject({ errorType: '2b', quote: '12 * 12 = 154 tiles' });
    expect(finding?.explanation).toContain('144');
  });
});
