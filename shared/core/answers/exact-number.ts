/** A rational number, exactly: reduced, the denominator above 0. */
export interface ExactNumber {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Longer figures are no answers to a question, and big-integer work on them would not be linear. */
const MAX_DIGITS = 80;
const MAX_EXPONENT = 60;

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** The reduced ratio of two integers; undefined for a denominator of 0. */
export function ratio(numerator: bigint, denominator: bigint): ExactNumber | undefined {
  if (denominator === 0n) return undefined;
  const sign = denominator < 0n ? -1n : 1n;
  const divisor = greatestCommonDivisor(numerator, sign * denominator);
  return { numerator: (sign * numerator) / divisor, denominator: (sign * denominator) / divisor };
}

function parseDecimal(text: string): ExactNumber | undefined {
  const match = /^([-+]?)(\d*)(?:\.(\d+))?(?:e([-+]?\d{1,4}))?$/i.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText) - fraction.length;
  if (whole + fraction === '' || Math.abs(Number(exponentText)) > MAX_EXPONENT) return undefined;
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  return exponent >= 0
    ? ratio(digits * 10n ** BigInt(exponent), 1n)
    : ratio(digits, 10n ** BigInt(-exponent));
}

function withoutDecoration(text: string): string {
  return text
    .trim()
    .replace(/[−–]/g, '-')
    .replace(/^([-+]?)\s*(?:US)?\\?[$€£¥₹]\s*/, '$1')
    .replace(/\\?[$€£¥₹]$/, '')
    .replace(/(?<!\s)\s*\\?%$/, '')
    .replace(/(\d)(?:,|\{,\}|,\\!| (?=\d{3}(?: |$)))(?=\d{3})/g, '$1');
}

/**
 * The number that a short text spells: a signed decimal with or without thousands separators, currency sign, percent
 * sign (dropped: "12%" is 12) or exponent, a fraction "3/4", a mixed number "1 1/2", or LaTeX `\frac{3}{4}`.
 *
 * @returns undefined where the text is anything else, or longer than 80 characters
 */
export function parseExactNumber(text: string): ExactNumber | undefined {
  if (text.length > MAX_DIGITS) return undefined;
  const plain = withoutDecoration(text);
  const latex = /^([-+]?)\\[dt]?frac\s*\{(-?\d+)\}\s*\{(-?\d+)\}$/.exec(plain);
  const mixed = /^([-+]?)(?:(\d+)\s+)?(\d+)\s*\/\s*(\d+)$/.exec(plain);
  if (latex !== null) return signed(latex[1], ratio(BigInt(latex[2] ?? '0'), BigInt(latex[3] ?? '0')));
  if (mixed === null) return parseDecimal(plain);
  const [whole, top, bottom] = [BigInt(mixed[2] ?? '0'), BigInt(mixed[3] ?? '0'), BigInt(mixed[4] ?? '0')];
  return signed(mixed[1], ratio(whole * bottom + top, bottom));
}

function signed(sign: string | undefined, value: ExactNumber | undefined): ExactNumber | undefined {
  return sign === '-' && value !== undefined ? { ...value, numerator: -value.numerator } : value;
}

/** The exact product. */
export function multiplyExact(a: ExactNumber, b: ExactNumber): ExactNumber {
  const product = ratio(a.numerator * b.numerator, a.denominator * b.denominator);
  if (product === undefined) throw new RangeError('an exact number has a denominator above 0');
  return product;
}

export function equalExact(a: ExactNumber, b: ExactNumber): boolean {
  return a.numerator === b.numerator && a.denominator === b.denominator;
}

/** Whether `a` lies within `tolerance` (a share, such as 1e-5) of `b`; two zeros are close. */
export function isClose(a: ExactNumber, b: ExactNumber, tolerance: number): boolean {
  if (equalExact(a, b)) return true;
  const difference = toNumber(a) - toNumber(b);
  return Math.abs(difference) <= tolerance * Math.abs(toNumber(b));
}

/** The nearest double. */
export function toNumber(value: ExactNumber): number {
  return Number(value.numerator) / Number(value.denominator);
}

function factorsOut(value: bigint, factor: bigint): { rest: bigint; count: number } {
  let [rest, count] = [value, 0];
  while (rest % factor === 0n) [rest, count] = [rest / factor, count + 1];
  return { rest, count };
}

/** The shortest exact spelling: "12.6", "-3", and "p/q" where no finite decimal exists. */
export function formatExact({ numerator, denominator }: ExactNumber): string {
  const twos = factorsOut(denominator, 2n);
  const fives = factorsOut(twos.rest, 5n);
  if (fives.rest !== 1n) return `${String(numerator)}/${String(denominator)}`;
  const places = Math.max(twos.count, fives.count);
  if (places === 0) return String(numerator);
  const digits = String((numerator < 0n ? -numerator : numerator) * (10n ** BigInt(places) / denominator));
  const padded = digits.padStart(places + 1, '0');
  return `${numerator < 0n ? '-' : ''}${padded.slice(0, -places)}.${padded.slice(-places)}`;
}
