import fc from 'fast-check';
import { expect, test } from 'vitest';
import { latexToInfix } from '../../../../shared/core/answers/latex-infix.ts';
import { isSameValue } from '../../../../shared/core/answers/same-value.ts';

test('formulas are read with every product written out', () => {
  expect(latexToInfix('2x(x+1)')).toBe('(2)*(x)*((x)+(1))');
  expect(latexToInfix('\\frac{3}{2}\\pi')).toBe('(((((3))))/((((2)))))*(pi)');
  expect(latexToInfix('\\sin^2x')).toBe('((sin((x)))^((2)))');
});

test.each(['3\\frac{1}{2}', 'a,b', '5!', '\\sum_{k}k', '{'.repeat(30), 'x'.repeat(301), '', '\\frac', '(1'])(
  '%j is none that a calculator could read',
  (formula) => {
    expect(latexToInfix(formula)).toBeUndefined();
  },
);

test('whatever is written, it is compared without an error, and equals itself where it has a value', () => {
  const text = fc.string({
    unit: fc.constantFrom(...Array.from('12x.+-*/^(){}\\'), '\\frac', '\\sqrt', '\\sin'),
    maxLength: 60,
  });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(isSameValue(a, b)).toBe(isSameValue(b, a));
    }),
    { numRuns: 500, seed: 1 },
  );
});

test('polynomials are the same in whatever order they are written, and differ by any coefficient', () => {
  const coefficients = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(coefficients, fc.nat(3), (numbers, place) => {
      const terms = (list: readonly number[]) =>
        list.map((number, power) => `(${String(number)})x^{${String(power)}}`);
      const other = numbers.with(place % numbers.length, (numbers[place % numbers.length] ?? 0) + 1);
      expect(isSameValue(terms(numbers).join('+'), terms(numbers).toReversed().join('+'))).toBe(true);
      expect(isSameValue(terms(numbers).join('+'), terms(other).join('+'))).toBe(false);
    }),
    { numRuns: 100, seed: 1 },
  );
});
