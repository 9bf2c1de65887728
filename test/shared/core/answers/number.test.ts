import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractAnswer, extractAnswerSpan, isCorrect } from '../../../../shared/core/answers/answers.ts';

describe('reading a number', () => {
  it.each([
    ['The answer is 42.', '42'],
    ['The answer is: $1,234.50 in total.', '1234.5'],
    ['So the answer is -7 degrees.', '-7'],
    ['Answer: 12,000 apples', '12000'],
    ['**Answer:** 5', '5'],
    ['Final Answer\n\n18', '18'],
    ['#### 72', '72'],
    ['Therefore \\boxed{150 \\div 3 = 50}', '50'],
    ['\\boxed{\\frac{3}{4}}', '0.75'],
    ['\\boxed{1{,}250}', '1250'],
    ['The answer is 1/3.', '1/3'],
    ['The slope of the line is 3/2.', '1.5'],
    ['The answer is 2 1/2 hours.', '2.5'],
    ['The answer is 12%.', '12%'],
    ['The answer is 30 x 2.5 = $75.', '75'],
    ['The answer is approx. 5.', '5'],
    ['Answer: 3.5e2', '350'],
    ['A: 85', '85'],
    ['The answer is 5.\nOn second thought, the answer is 6.', '6'],
    ['The final answer is $\\boxed{9}$. I hope it is correct.', '9'],
    ['He earns 30 x $2.5 = $75 if he sells it.', '75'],
    ['So there are 10-4=6 left.', '6'],
    ['She has 12 left\nand is glad.', '12'],
    ['I counted 3 cats and 4 dogs', '4'],
    ['x_1 = 3 and x_2 = 8', '8'],
    ['The answer is €30', '30'],
    ['It is −4', '-4'],
    ['The answer is the sum, 1, 2 and 3', '1'],
  ])('%j gives %s', (text, value) => {
    expect(extractAnswer('number', text)).toBe(value);
  });

  it.each(['', 'no idea', 'The answer is unclear.', 'x^2 + y_1'])('finds none in %j', (text) => {
    expect(extractAnswer('number', text)).toBeUndefined();
  });

  it('falls back to an earlier announcement when the last holds no number', () => {
    expect(extractAnswer('number', 'The answer is 8.\nThe answer is in metres.')).toBe('8');
  });

  it('says where the answer stands', () => {
    const text = 'First 3 + 4 = 7.\nThe answer is $1,007.';
    const span = extractAnswerSpan('number', text);
    expect(span && text.slice(span.start, span.end)).toBe('$1,007');
  });

  it('reads back any decimal it is told', () => {
    const decimal = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 99 }));
    fc.assert(
      fc.property(decimal, ([whole, cents]) => {
        const value = `${whole}.${String(cents).padStart(2, '0')}`;
        const extracted = extractAnswer('number', `So the answer is ${value}.`) ?? '';
        expect(Number(extracted)).toBe(Number(value));
        expect(isCorrect('number', extracted, value)).toBe(true);
      }),
    );
  });

  it('any span lies inside its text', () => {
    const noise = fc.string({
      unit: fc.constantFrom(
        '1',
        '.',
        ',',
        '-',
        '=',
        '/',
        ' ',
        '\n',
        'answer is',
        '\\boxed{',
        '}',
        '####',
        'x',
      ),
    });
    fc.assert(
      fc.property(noise, (text) => {
        const span = extractAnswerSpan('number', text);
        if (span === undefined) return;
        expect(span.start).toBeLessThan(span.end);
        expect(span.end).toBeLessThanOrEqual(text.length);
        expect(text.slice(span.start, span.end)).toMatch(/\d/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('comparing numbers', () => {
  it.each([
    ['12', '12.0', true],
    ['1,200', '1200', true],
    ['0.75', '3/4', true],
    ['33.33333', '33.333333', true],
    ['33.3', '33.33', false],
    ['12%', '12', true],
    ['12%', '0.12', true],
    ['0.12', '12%', true],
    ['12', '0.12', false],
    ['-5', '5', false],
    ['0', '0.0', true],
    ['1e-9', '0', false],
  ])('%s against %s is %s', (extracted, gold, same) => {
    expect(isCorrect('number', extracted, gold)).toBe(same);
  });
});
