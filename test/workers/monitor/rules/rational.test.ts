import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  add,
  divide,
  equal,
  multiply,
  negate,
  parseDecimal,
  power,
  rational,
  squareRoot,
  toNumber,
  type Rational,
} from '../../../../workers/monitor/rules/rational.ts';

function of(numerator: bigint, denominator = 1n): Rational {
  const value = rational(numerator, denominator);
  if (value === undefined) throw new RangeError('out of bounds');
  return value;
}

const whole = fc.bigInt({ min: -1_000_000n, max: 1_000_000n });

describe('rationals', () => {
  it('are in lowest terms with a positive denominator', () => {
    expect(of(6n, -8n)).toEqual({ numerator: -3n, denominator: 4n });
    expect(parseDecimal('0.125')).toEqual(of(1n, 8n));
    expect(parseDecimal('1.2.3')).toBeUndefined();
  });

  it('tell 0.1 + 0.2 from nothing but 0.3', () => {
    const [a, b, c] = ['0.1', '0.2', '0.3'].map((digits) => parseDecimal(digits));
    expect(a && b && add(a, b)).toEqual(c);
  });

  it('undo what they do', () => {
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        const [x, y] = [of(a), of(b)];
        const sum = add(x, y);
        expect(sum && add(sum, negate(y))).toEqual(x);
        const product = multiply(x, y);
        if (b !== 0n && product !== undefined) expect(divide(product, y)).toEqual(x);
      }),
    );
  });

  it('refuse division by zero, huge powers and roots that are not whole', () => {
    expect(divide(of(1n), of(0n))).toBeUndefined();
    expect(power(of(9n), of(10_000n))).toBeUndefined();
    expect(power(of(10n ** 30n), of(60n))).toBeUndefined();
    expect(squareRoot(of(2n))).toBeUndefined();
    expect(squareRoot(of(9n, 4n))).toEqual(of(3n, 2n));
  });

  it('come near the double that they stand for', () => {
    expect(toNumber(of(1n, 3n))).toBeCloseTo(1 / 3, 12);
    expect(equal(of(2n, 4n), of(1n, 2n))).toBe(true);
  });
});
