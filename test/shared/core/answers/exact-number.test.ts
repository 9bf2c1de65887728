import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  equalExact,
  formatExact,
  multiplyExact,
  parseExactNumber,
} from '../../../../shared/core/answers/exact-number.ts';

describe('exact numbers', () => {
  it.each([
    ['0.1', '0.1'],
    ['-0.050', '-0.05'],
    ['1,234,567.5', '1234567.5'],
    ['6/4', '1.5'],
    ['2/6', '1/3'],
    ['1 1/2', '1.5'],
    ['-1 1/2', '-1.5'],
    ['US$ 20', '20'],
    ['5e-3', '0.005'],
    ['+7', '7'],
    ['.5', '0.5'],
  ])('%s is spelled %s', (text, spelled) => {
    const value = parseExactNumber(text);
    expect(value && formatExact(value)).toBe(spelled);
  });

  it.each(['', '-', '.', '1/0', 'x', '1.2.3', '12a', '9'.repeat(100), '1e999'])('%j is no number', (text) => {
    expect(parseExactNumber(text)).toBeUndefined();
  });

  it('12 times 2.1 is exactly 25.2, and 0.1 times 3 exactly 0.3', () => {
    const product = (a: string, b: string) => {
      const [left, right] = [parseExactNumber(a), parseExactNumber(b)];
      return left && right && formatExact(multiplyExact(left, right));
    };
    expect(product('12', '2.1')).toBe('25.2');
    expect(product('0.1', '3')).toBe('0.3');
  });

  it('what is formatted is parsed back to the same number', () => {
    const integer = fc.integer({ min: -1_000_000, max: 1_000_000 });
    fc.assert(
      fc.property(integer, fc.integer({ min: 1, max: 10_000 }), (numerator, denominator) => {
        const value = parseExactNumber(`${numerator}/${denominator}`);
        const again = value && parseExactNumber(formatExact(value));
        expect(value && again && equalExact(value, again)).toBe(true);
      }),
    );
  });
});
