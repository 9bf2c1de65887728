import type { Lexeme } from './lexeme.ts';
import {
  add,
  divide,
  isWhole,
  multiply,
  negate,
  parseDecimal,
  power,
  rational,
  squareRoot,
  type Rational,
} from './rational.ts';

/** Ways in which two people may read one line differently; an equation holds if any reading makes it hold. */
export interface Reading {
  /** `20%` is 20, not 0.2. */
  readonly percentIsPlain: boolean;
  /** `100 + 20%` is 120. */
  readonly percentIsRelative: boolean;
  /** `6/2(1+2)` is 6/(2*3). */
  readonly productBindsTighter: boolean;
  /** `-3^2` is 9. */
  readonly powerTakesSign: boolean;
  /** `2 1/2` is 1, not two and a half. */
  readonly mixedIsProduct: boolean;
  /** `6 * 5 / 3 * 2` is 30/6: all that follows the slash stands under it. */
  readonly slashIsBar: boolean;
  /** `82` is 8 squared: the superscript was lost on the way. */
  readonly lastDigitIsPower: boolean;
}

export const plainReading: Reading = {
  percentIsPlain: false,
  percentIsRelative: false,
  productBindsTighter: false,
  powerTakesSign: false,
  mixedIsProduct: false,
  slashIsBar: false,
  lastDigitIsPower: false,
};

/** A stretch of lexemes read as arithmetic. `next` is the first lexeme after it (unit words are swallowed). */
export interface Expression {
  readonly value: Rational;
  readonly next: number;
  /** Operators applied; 0 for a lone number. */
  readonly operations: number;
  readonly percent: boolean;
  /** A product without a sign, a mixed number or the power of a signed number: more than one reading. */
  readonly ambiguous: boolean;
  /** Unit words, in order. */
  readonly units: readonly string[];
  /** Indices of the number lexemes in it. */
  readonly numbers: readonly number[];
}

const MAX_DEPTH = 12;
const MAX_UNIT_WORDS = 4;

/** Words that end an expression instead of naming its unit. */
const endings = new Set(
  (
    'and so is are was were which that then but or if when since because where while we he she it they this these ' +
    'the to from with than as for gives equals equal means plus minus times over divided multiplied mod choose of by ' +
    'log ln sin cos tan sqrt gcd lcm pi remainder would should must can not has have had'
  ).split(' '),
);
export const isEndingWord = (word: string): boolean => endings.has(word);

/**
 * Reads the longest expression that begins at `from` and stays before `limit`.
 *
 * @returns undefined when none begins there, or when a part has no exact value (a variable, a root that is not
 *   whole, a number out of bounds)
 */
export function readExpression(
  lexemes: readonly Lexeme[],
  from: number,
  limit: number,
  reading: Reading,
): Expression | undefined {
  return new ExpressionReader(lexemes, limit, reading).read(from);
}

class ExpressionReader {
  private at = 0;
  private depth = 0;
  private operations = 0;
  private percent = false;
  private ambiguous = false;
  private readonly units: string[] = [];
  private readonly numbers: number[] = [];
  private readonly lexemes: readonly Lexeme[];
  private readonly limit: number;
  private readonly reading: Reading;

  constructor(lexemes: readonly Lexeme[], limit: number, reading: Reading) {
    this.lexemes = lexemes;
    this.limit = limit;
    this.reading = reading;
  }

  read(from: number): Expression | undefined {
    this.at = from;
    const value = this.sum();
    if (value === undefined) return undefined;
    const { at, operations, percent, ambiguous, units, numbers } = this;
    return { value, next: at, operations, percent, ambiguous, units, numbers };
  }

  private peek(): Lexeme | undefined {
    return this.at < this.limit ? this.lexemes[this.at] : undefined;
  }

  private sum(): Rational | undefined {
    let value = this.product();
    for (;;) {
      const lexeme = this.peek();
      if (value === undefined || lexeme?.type !== 'operator') return value;
      if (lexeme.operator !== '+' && lexeme.operator !== '-') return undefined;
      this.at += 1;
      const first = this.at;
      const right = this.product();
      if (right === undefined) return undefined;
      this.operations += 1;
      value = this.addRelative(value, lexeme.operator === '+' ? right : negate(right), first);
    }
  }

  private addRelative(value: Rational, right: Rational, first: number): Rational | undefined {
    const lexeme = this.lexemes[first];
    const relative = this.reading.percentIsRelative && lexeme?.type === 'number' && lexeme.percent;
    if (!relative) return add(value, right);
    const share = multiply(value, right);
    return share === undefined ? undefined : add(value, share);
  }

  private product(): Rational | undefined {
    let value = this.signed();
    for (;;) {
      const lexeme = this.peek();
      if (value === undefined || lexeme === undefined) return value;
      if (lexeme.type === 'operator' && (lexeme.operator === '*' || lexeme.operator === '/')) {
        this.at += 1;
        const right = this.tight(this.signed(), lexeme.operator === '/');
        value = this.apply(lexeme.operator, value, right);
      } else if (this.isPercentOf(lexeme)) {
        this.at += 1;
        value = this.apply('*', value, this.signed());
      } else if (this.isImplicitFactor(lexeme)) {
        this.ambiguous = true;
        value = this.apply('*', value, this.powered());
      } else return value;
    }
  }

  private apply(operator: '*' | '/', left: Rational, right: Rational | undefined): Rational | undefined {
    if (right === undefined) return undefined;
    this.operations += 1;
    return operator === '*' ? multiply(left, right) : divide(left, right);
  }

  /** What a product sign or a slash takes beyond the next factor, under the readings that let it. */
  private tight(value: Rational | undefined, isDivisor: boolean): Rational | undefined {
    let product = value;
    for (;;) {
      const lexeme = this.peek();
      if (product === undefined || lexeme === undefined) return product;
      const isFactor = isDivisor && lexeme.type === 'operator' && lexeme.operator === '*';
      if (isFactor) this.ambiguous = true;
      if (isFactor && this.reading.slashIsBar) this.at += 1;
      else if (!this.reading.productBindsTighter || !this.isImplicitFactor(lexeme)) return product;
      product = this.apply('*', product, this.powered());
    }
  }

  /** `20% of 50`, `1/2 of 10`. */
  private isPercentOf(lexeme: Lexeme): boolean {
    if (lexeme.type !== 'word' || lexeme.text !== 'of') return false;
    const before = this.lexemes[this.at - 1];
    const after = this.lexemes[this.at + 1];
    return before?.type === 'number' && after?.type === 'number' && this.at + 1 < this.limit;
  }

  /** `2(3)`, `(2)(3)`, `2\sqrt{9}`; never a bracket with words in it. */
  private isImplicitFactor(lexeme: Lexeme): boolean {
    if (lexeme.type === 'root' || lexeme.type === 'fraction') return true;
    if (lexeme.type !== 'open') return false;
    const inner = this.lexemes[this.at + 1];
    return (
      inner?.type !== 'word' &&
      (!lexeme.spaced || inner?.type === 'number' || inner?.type === 'open' || inner?.type === 'operator')
    );
  }

  private signed(): Rational | undefined {
    const lexeme = this.peek();
    if (lexeme?.type !== 'operator' || (lexeme.operator !== '-' && lexeme.operator !== '+'))
      return this.powered();
    this.at += 1;
    this.depth += 1;
    const value = this.depth > MAX_DEPTH ? undefined : this.signedOperand(lexeme.operator === '-');
    this.depth -= 1;
    return value;
  }

  private signedOperand(negative: boolean): Rational | undefined {
    const base = this.reading.powerTakesSign ? this.primary() : this.signed();
    if (base === undefined) return undefined;
    const signed = negative ? negate(base) : base;
    if (this.lexemes[this.at - 1]?.type === 'number') this.ambiguous = true;
    return this.reading.powerTakesSign ? this.raised(signed) : signed;
  }

  private powered(): Rational | undefined {
    const value = this.primary();
    return value === undefined ? undefined : this.raised(value);
  }

  private raised(value: Rational): Rational | undefined {
    const lexeme = this.peek();
    if (lexeme?.type !== 'operator' || lexeme.operator !== '^') return value;
    this.at += 1;
    this.operations += 1;
    const exponent = this.exponent();
    return exponent === undefined ? undefined : power(value, exponent);
  }

  private exponent(): Rational | undefined {
    const lexeme = this.peek();
    if (lexeme?.type !== 'operator' || lexeme.operator !== '-') return this.primary();
    this.at += 1;
    const value = this.primary();
    return value === undefined ? undefined : negate(value);
  }

  private primary(): Rational | undefined {
    const lexeme = this.peek();
    if (lexeme === undefined) return undefined;
    this.at += 1;
    if (lexeme.type === 'number') return this.number(lexeme);
    if (lexeme.type === 'open') return this.bracket();
    if (lexeme.type === 'fraction') return this.fraction();
    if (lexeme.type === 'root') return this.root();
    return undefined;
  }

  private number(lexeme: Lexeme & { type: 'number' }): Rational | undefined {
    this.numbers.push(this.at - 1);
    let value = parseDecimal(lexeme.digits);
    if (value !== undefined && this.reading.lastDigitIsPower) value = unraised(value);
    if (lexeme.percent) {
      this.percent = true;
      if (value !== undefined && !this.reading.percentIsPlain)
        value = divide(value, { numerator: 100n, denominator: 1n });
    }
    const mixed = value === undefined ? undefined : this.mixedPart(lexeme);
    if (value !== undefined && mixed !== undefined)
      value = this.reading.mixedIsProduct ? multiply(value, mixed) : add(value, mixed);
    return this.suffixed(value);
  }

  /** The `1/2` of `2 1/2`, or the `\frac{1}{2}` of `2\frac{1}{2}`. */
  private mixedPart(whole: Lexeme & { type: 'number' }): Rational | undefined {
    if (!Number.isInteger(whole.size) || whole.percent) return undefined;
    const [top, slash, bottom] = this.lexemes.slice(this.at, this.at + 3);
    if (top?.type === 'fraction') {
      this.at += 1;
      this.ambiguous = true;
      return this.fraction();
    }
    if (top?.type !== 'number' || bottom?.type !== 'number' || this.at + 3 > this.limit) return undefined;
    if (slash?.type !== 'operator' || slash.operator !== '/' || slash.spaced || bottom.spaced)
      return undefined;
    if (top.size >= bottom.size) return undefined;
    this.at += 3;
    this.ambiguous = true;
    const [over, under] = [parseDecimal(top.digits), parseDecimal(bottom.digits)];
    return over === undefined || under === undefined ? undefined : divide(over, under);
  }

  /** Factorials and unit words after a value. */
  private suffixed(value: Rational | undefined): Rational | undefined {
    let result = value;
    while (result !== undefined && this.peek()?.type === 'factorial') {
      this.at += 1;
      this.operations += 1;
      result = factorial(result);
    }
    if (result !== undefined) this.skipUnits();
    return result;
  }

  /** Unit words belong to the value only if arithmetic goes on, or ends, right behind them. */
  private skipUnits(): void {
    const start = this.at;
    let end = start;
    const words: string[] = [];
    for (; end < this.limit && words.length < MAX_UNIT_WORDS; end += 1) {
      const lexeme = this.lexemes[end];
      if (lexeme?.type === 'word' && !isEndingWord(lexeme.text)) words.push(lexeme.text);
      else if (lexeme?.type === 'open' && this.commentEnd(end) !== undefined)
        end = this.commentEnd(end) ?? end;
      else break;
    }
    const after = end < this.limit ? this.lexemes[end] : undefined;
    const goesOn =
      after === undefined || after.type === 'operator' || after.type === 'close' || after.type === 'relation';
    if (end === start || (!goesOn && end < this.limit)) return;
    this.at = end;
    this.units.push(...words);
  }

  /** The index of the bracket that closes a comment in words, if `open` begins one. */
  private commentEnd(open: number): number | undefined {
    for (let i = open + 1; i < Math.min(this.limit, open + 8); i += 1) {
      const type = this.lexemes[i]?.type;
      if (type === 'close') return i > open + 1 ? i : undefined;
      if (type !== 'word') return undefined;
    }
    return undefined;
  }

  private bracket(): Rational | undefined {
    this.depth += 1;
    const value = this.depth > MAX_DEPTH ? undefined : this.sum();
    this.depth -= 1;
    if (value === undefined || this.peek()?.type !== 'close') return undefined;
    this.at += 1;
    return this.suffixed(value);
  }

  private group(): Rational | undefined {
    if (this.peek()?.type !== 'open') return undefined;
    this.at += 1;
    this.depth += 1;
    const value = this.depth > MAX_DEPTH ? undefined : this.sum();
    this.depth -= 1;
    if (value === undefined || this.peek()?.type !== 'close') return undefined;
    this.at += 1;
    return value;
  }

  private fraction(): Rational | undefined {
    const top = this.group();
    const bottom = top === undefined ? undefined : this.group();
    if (top === undefined || bottom === undefined) return undefined;
    this.operations += 1;
    return this.suffixed(divide(top, bottom));
  }

  private root(): Rational | undefined {
    const value = this.group();
    if (value === undefined) return undefined;
    this.operations += 1;
    return this.suffixed(squareRoot(value));
  }
}

/** 8 squared for 82, 12 cubed for 123; anything else as it is. */
function unraised(value: Rational): Rational {
  const exponent = value.numerator % 10n;
  if (!isWhole(value) || value.numerator < 20n || (exponent !== 2n && exponent !== 3n)) return value;
  const base = rational(value.numerator / 10n);
  return (base === undefined ? undefined : power(base, { numerator: exponent, denominator: 1n })) ?? value;
}

function factorial(value: Rational): Rational | undefined {
  if (!isWhole(value) || value.numerator < 0n || value.numerator > 30n) return undefined;
  let product = 1n;
  for (let i = 2n; i <= value.numerator; i += 1n) product *= i;
  return rational(product);
}
