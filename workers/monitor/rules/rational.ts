/** An exact fraction in lowest terms; the denominator is positive. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Beyond this size a number is no arithmetic that a person checks, and a hostile chain would buy time with it. */
const MAX_BITS_AS_HEX_DIGITS = 64;
const MAX_EXPONENT = 64n;

/** @returns the fraction in lowest terms; undefined when the denominator is 0 or a part is out of bounds */
export function rational(numerator: bigint, denominator = 1n): Rational | undefined {
  if (denominator === 0n) return undefined;
  if (denominator === 1n && isBounded(numerator)) return { numerator, denominator };
  const sign = denominator < 0n ? -1n : 1n;
  const divisor = denominator === 1n ? 1n : gcd(numerator, denominator);
  const reduced = {
    numerator: (sign * numerator) / divisor,
    denominator: (sign * denominator) / divisor,
  };
  return isBounded(reduced.numerator) && isBounded(reduced.denominator) ? reduced : undefined;
}

/** Parses plain digits with at most one point (`1250`, `.5`, `3.20`); undefined for anything else. */
export function parseDecimal(digits: string): Rational | undefined {
  const point = digits.indexOf('.');
  const whole = point === -1 ? digits : digits.slice(0, point);
  const decimals = point === -1 ? '' : digits.slice(point + 1);
  const joined = whole + decimals;
  if (joined === '' || joined.length > 40 || !/^[0-9]+$/.test(joined)) return undefined;
  return rational(BigInt(joined), 10n ** BigInt(decimals.length));
}

export function add(a: Rational, b: Rational): Rational | undefined {
  return rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

export function negate(a: Rational): Rational {
  return { numerator: -a.numerator, denominator: a.denominator };
}

export function multiply(a: Rational, b: Rational): Rational | undefined {
  return rational(a.numerator * b.numerator, a.denominator * b.denominator);
}

export function divide(a: Rational, b: Rational): Rational | undefined {
  return rational(a.numerator * b.denominator, a.denominator * b.numerator);
}

/** Whole exponents up to 64 in size; undefined for others and for 0 to a negative power. */
export function power(base: Rational, exponent: Rational): Rational | undefined {
  const size = exponent.numerator < 0n ? -exponent.numerator : exponent.numerator;
  if (exponent.denominator !== 1n || size > MAX_EXPONENT) return undefined;
  const [top, bottom] =
    exponent.numerator < 0n ? [base.denominator, base.numerator] : [base.numerator, base.denominator];
  const digits = Math.max(top.toString(16).length, bottom.toString(16).length);
  if (digits > 1 && digits * Number(size) > 2 * MAX_BITS_AS_HEX_DIGITS) return undefined;
  return rational(top ** size, bottom ** size);
}

/** The exact square root of a perfect square; undefined otherwise. */
export function squareRoot(a: Rational): Rational | undefined {
  const top = exactRoot(a.numerator);
  const bottom = exactRoot(a.denominator);
  return top === undefined || bottom === undefined ? undefined : rational(top, bottom);
}

export function equal(a: Rational, b: Rational): boolean {
  return a.numerator === b.numerator && a.denominator === b.denominator;
}

/** The nearest double. Numerator and denominator are within 256 bits, so neither overflows. */
export function toNumber(a: Rational): number {
  return Number(a.numerator) / Number(a.denominator);
}

/** Whether the value can be written with at most `decimals` digits after the point. */
export function fitsDecimals(a: Rational, decimals: number): boolean {
  return (a.numerator * 10n ** BigInt(Math.min(decimals, 40))) % a.denominator === 0n;
}

export function isWhole(a: Rational): boolean {
  return a.denominator === 1n;
}

function exactRoot(value: bigint): bigint | undefined {
  if (value < 0n || value > 2n ** 100n) return undefined;
  const guess = BigInt(Math.round(Math.sqrt(Number(value))));
  return guess * guess === value ? guess : undefined;
}

function isBounded(value: bigint): boolean {
  const small = value < 9_007_199_254_740_992n && value > -9_007_199_254_740_992n;
  return small || value.toString(16).length <= MAX_BITS_AS_HEX_DIGITS;
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}
