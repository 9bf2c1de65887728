import type { Equation } from './equation.ts';
import { plainReading, type Expression, type Reading } from './expression.ts';
import { ChainLanguage } from './language.ts';
import type { Lexeme } from './lexeme.ts';
import { quoteOf } from './quote.ts';
import { equal, fitsDecimals, isWhole, toNumber, type Rational } from './rational.ts';
import type { Finding, Rule } from './rule.ts';
import type { StepReading } from './step-reading.ts';

/**
 * An equation that does not hold (2b Calculation Error), read as a person would: see `holds`.
 *
 * Measured (`npx tsx scripts/bench/rules.ts`, `rules-by-type.ts`): 98 to 100% of false `a op b = c` inserted into
 * error-free chains, 204 of 209 plainly false ones of EIC on GSM8K, 64 of 64 on MathQA; no alarm on the 845 error-free
 * ProcessBench chains, 12 on the 500 unmodified PRMBench solutions (most of them slips in truth: `116*117 = 13192`), 2 on
 * the 1,081 worked GSM8K solutions, 2 on 163 healthy traces (both slips).
 */
export const arithmeticRule: Rule = {
  name: 'arithmetic',
  codes: ['2b'],
  begin: () => {
    const language = new ChainLanguage();
    return {
      inspect: (step) => {
        language.read(step.words());
        return firstFalseEquation(step, language);
      },
    };
  },
};

function firstFalseEquation(step: StepReading, language: ChainLanguage): Finding | undefined {
  for (const equation of step.equations()) {
    if (holds(equation, step) || !isClaim(step, equation)) continue;
    if (isUnreadable(step, equation, language)) continue;
    const value = toNumber(equation.left.value);
    return {
      errorType: '2b',
      confidence: 0.97,
      quote: quoteOf(step.text, equation.start, equation.end),
      explanation: `The left side is ${format(value)}, the right side ${format(toNumber(equation.right.value))}.`,
    };
  }
  return undefined;
}

function format(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(8)));
}

/** What follows an equation that the writer only tries out, or rejects at once. */
const rejected =
  /^[\s\S]{0,12}\?|^[^.\n]{0,40}\b(?:(?:is|are|does|do|would|could|can)(?: not|n't)|not (?:true|equal|an?|the|in|possible|right|correct|valid|divisible)|no,|false|incorrect|wrong|mistake|impossible|contradict\w*|absurd|instead|error|fails?|invalid|mod|remainder)\b|^\s*\(?\s*(?:\\pmod|\\bmod|mod|R\s?\d|r\s?\d)|^\\%?\s*\(\\?p?mod/i;
const supposed =
  /\b(?:if|suppose|assume|assuming|whether|unless)\b(?:(?!,|\bthen\b)[^.\n]){0,60}$|\b(?:instead of|not|incorrect|wrong\w*|mistak\w*|claims?|modulo|base|not that)\b[^.\n]{0,60}$/i;
/** A step that finds an equation false has done its work. */
const noticed =
  /\b(?:false|contradict\w*|not (?:true|equal|hold|satisf\w*|work|valid|correct|a solution)|(?:doesn't|does not|isn't|is not|don't|do not) (?:hold|satisf\w*|work|equal|match|valid)|extraneous|no solutions?|impossible|mistake)\b|\\n?eq\b|≠/gi;
const rounded =
  /\b(?:round\w*|approx\w*|about|nearly|roughly|almost|estimat\w*|around|closest|nearest|ceil\w*|floor|at least|at most|up to|down to|whole|truncat\w*)\b|≈|\\approx|\\(?:l|r)?floor|\\lceil|\\sim/gi;

function isClaim(step: StepReading, equation: Equation): boolean {
  const { left, right } = equation;
  if (left.operations + right.operations === 0 && !isContinued(equation, step.lexemes())) return false;
  if (left.operations === 0 && (left.units.length > 0 || step.lexemes()[equation.from]?.type === 'open'))
    return false;
  if (isScale(equation, step.lexemes())) return false;
  if (rejected.test(step.text.slice(equation.end, equation.end + 60))) return false;
  if (supposed.test(step.text.slice(Math.max(0, equation.start - 80), equation.start))) return false;
  if (isPutRight(step, equation) || isCutOff(step, equation)) return false;
  return !step.mentions(noticed, equation.start, equation.end);
}

/** The chain may end inside the last number: `75 * 2 = 1`. */
function isCutOff({ text, channel }: StepReading, { left, right, end }: Equation): boolean {
  if (channel !== 'reasoning' || end !== text.length || right.operations > 0) return false;
  const [value, written] = [String(toNumber(left.value)), String(toNumber(right.value))];
  return value !== written && value.startsWith(written);
}

/** With words beside it that cannot be read, nothing tells whether an equation is claimed, tried or denied. */
function isUnreadable({ text }: StepReading, { start, end }: Equation, language: ChainLanguage): boolean {
  const before = text.slice(Math.max(0, start - 200), start);
  const after = text.slice(end, end + 200);
  const hasWords = letters.test(before.slice(before.lastIndexOf('\n') + 1)) || /^[^\n]*\p{L}{2}/u.test(after);
  return hasWords && language.isForeign(before + after);
}

const letters = /\p{L}{2}/u;

/** The `7 = 8` of `3 + 4 = 7 = 8`, without units. */
function isContinued({ left, right, from }: Equation, lexemes: readonly Lexeme[]): boolean {
  const before = lexemes[from - 1];
  const continues =
    before?.type === 'relation' && before.relation === '=' && lexemes[from - 2]?.type === 'number';
  return continues && left.units.length === 0 && unitAfter(right, lexemes) === undefined;
}

/** `1/2 inch = 20 miles` sets a scale. */
function isScale(equation: Equation, lexemes: readonly Lexeme[]): boolean {
  const { left, right } = equation;
  const unit = unitAfter(right, lexemes);
  const lone = left.numbers.length <= 2 && left.operations <= 1 && right.operations === 0;
  const second = lexemes[(left.numbers[0] ?? 0) + 1];
  const isFraction = lexemes[equation.from]?.type === 'fraction';
  const isRatio =
    isFraction || left.operations === 0 || (second?.type === 'operator' && second.operator === '/');
  return isRatio && lone && left.units.length > 0 && unit !== undefined && !left.units.includes(unit);
}

function hasOperator(operators: string, { from, at }: Equation, lexemes: readonly Lexeme[]): boolean {
  return lexemes
    .slice(from, at)
    .some((lexeme) => lexeme.type === 'operator' && operators.includes(lexeme.operator));
}

function unitAfter(side: Expression, lexemes: readonly Lexeme[]): string | undefined {
  const following = lexemes[side.next];
  return side.units[0] ?? (following?.type === 'word' ? following.text : undefined);
}

/** About as many as a step of usual length has. */
const NEAR_LEXEMES = 400;

/** The true value of the left side follows in the same step: the writer has seen it. */
function isPutRight(step: StepReading, { left, right }: Equation): boolean {
  const value = toNumber(left.value);
  if (Math.abs(value) < 10) return false;
  return step
    .lexemes()
    .slice(right.next, right.next + NEAR_LEXEMES)
    .some((lexeme) => lexeme.type === 'number' && isNear(lexeme.size, value, 1e-3));
}

/**
 * Whether the two sides agree under any reading of percent signs, implicit products, signs and mixed numbers, after
 * the rounding that people take for granted, or as a running calculation (`5 + 5 = 10 + 3 = 13`).
 */
export function holds(equation: Equation, step: StepReading): boolean {
  const loose = equation.approximate || step.mentions(rounded, equation.start, equation.end);
  const { left, right } = equation;
  if (agree(left, right, loose, step.lexemes())) return true;
  if (goesOn(equation, step.lexemes()) || convertsUnits(equation, step.lexemes())) return true;
  if (isWordEquation(equation, step.lexemes()) || isPartial(equation, step.lexemes())) return true;
  return otherReadings(equation).some((reading) => {
    const sides = equation.reread(reading);
    if (sides === undefined) return false;
    if (agree(sides.left, sides.right, loose, step.lexemes())) return true;
    return equal(sides.left.value, right.value) || equal(left.value, sides.right.value);
  });
}

function otherReadings({ left, right }: Equation): Reading[] {
  const readings: Reading[] = [{ ...plainReading, lastDigitIsPower: true }];
  const bases: Reading[] = [plainReading];
  if (left.percent || right.percent) {
    bases.push({ ...plainReading, percentIsPlain: true }, { ...plainReading, percentIsRelative: true });
    readings.push(...bases.slice(1));
  }
  if (!left.ambiguous && !right.ambiguous) return readings;
  for (const base of bases) {
    readings.push(
      { ...base, slashIsBar: true },
      { ...base, productBindsTighter: true },
      { ...base, powerTakesSign: true },
      { ...base, mixedIsProduct: true },
    );
  }
  return readings;
}

function agree(left: Expression, right: Expression, loose: boolean, lexemes: readonly Lexeme[]): boolean {
  if (equal(left.value, right.value)) return true;
  const [l, r] = [toNumber(left.value), toNumber(right.value)];
  if (isPercentOf(left, right, l, r)) return true;
  const slack = loose ? looseSlack(l, r) : 0;
  if (Math.abs(l - r) <= slack) return true;
  if (right.operations === 0 && roundsTo(left.value, right, lexemes)) return true;
  if (left.operations === 0 && roundsTo(right.value, left, lexemes)) return true;
  const drift = roundedOperands(left, lexemes) + roundedOperands(right, lexemes);
  return drift > 0 && Math.abs(l - r) <= 1.01 * drift * Math.max(Math.abs(l), Math.abs(r));
}

/** `20 / 50 = 40%`, and the other way about. */
function isPercentOf(left: Expression, right: Expression, l: number, r: number): boolean {
  if (!left.percent && !right.percent) return false;
  const scale = Math.max(Math.abs(l), Math.abs(r));
  return (
    Math.abs(l * 100 - r) <= 0.01 * scale || Math.abs(l - r * 100) <= 0.01 * scale || Math.abs(l - r) <= 0.006
  );
}

function looseSlack(l: number, r: number): number {
  return Math.max(1, 0.02 * Math.max(Math.abs(l), Math.abs(r)));
}

/**
 * A lone number that the exact value can be rounded or cut to. What fits the decimals written must be exact:
 * `2.5 * 3 = 7.6` is wrong, `10 / 3 = 3.3` is not.
 */
function roundsTo(exact: Rational, written: Expression, lexemes: readonly Lexeme[]): boolean {
  const index = written.numbers[0];
  const lexeme = index === undefined ? undefined : lexemes[index];
  if (lexeme?.type !== 'number' || written.numbers.length !== 1) return false;
  const decimals = lexeme.percent ? lexeme.decimals + 2 : lexeme.decimals;
  if (decimals === 0 ? isWhole(exact) : fitsDecimals(exact, decimals)) return false;
  const unit = 10 ** -decimals;
  const over = Math.abs(toNumber(exact)) - Math.abs(toNumber(written.value));
  // Rounded, cut, or (people, buses, boxes) taken up to the next whole.
  return (
    Math.abs(over) <= 0.5001 * unit || (over > 0 && over < unit) || (decimals === 0 && Math.abs(over) < 1)
  );
}

/** The relative error that operands bring in which look rounded themselves: `0.33`, `66.67`, `3.14`, `1.4142`. */
function roundedOperands(side: Expression, lexemes: readonly Lexeme[]): number {
  if (side.operations === 0) return 0;
  let drift = 0;
  for (const index of side.numbers) {
    const lexeme = lexemes[index];
    if (lexeme?.type !== 'number' || !looksRounded(lexeme)) continue;
    const size = Math.abs(lexeme.size);
    const unit = 10 ** -lexeme.decimals * (lexeme.decimals > 2 ? 0.5 : 1);
    drift += size === 0 ? 0 : unit / size;
  }
  return drift;
}

function looksRounded(lexeme: Lexeme & { type: 'number' }): boolean {
  if (lexeme.openEnded || lexeme.decimals >= 3) return true;
  const cents = Math.round(lexeme.size * 100) % 100;
  return (
    lexeme.decimals === 2 &&
    [33, 34, 66, 67, 16, 17, 83, 14, 41, 73, 57, 43, 71, 86, 29, 11, 22, 44, 55, 77, 88, 89].includes(cents)
  );
}

/** A running calculation: the next side takes up the value reached and goes on with it. */
function goesOn({ left, right }: Equation, lexemes: readonly Lexeme[]): boolean {
  const first = right.numbers[0];
  if (first === undefined || right.operations === 0 || left.operations === 0) return false;
  const size = numberAt(lexemes, first);
  return size !== undefined && size === Math.abs(toNumber(left.value));
}

const conversions = [
  60, 100, 1000, 10, 12, 24, 7, 3600, 16, 3, 36, 5280, 52, 365, 30, 4, 2, 8, 1e6, 1e9, 1440, 1e-1,
];
const scaleWords = /^(?:(?:thousand|million|billion|trillion|hundred|dozen)s?|k|score)$/;

/** Different units on the two sides, and a factor between them that some pair of units has. */
function convertsUnits({ left, right }: Equation, lexemes: readonly Lexeme[]): boolean {
  const following = lexemes[right.next];
  const rightUnits =
    right.units.length > 0 ? right.units : following?.type === 'word' ? [following.text] : [];
  const units = [...left.units, ...rightUnits];
  if (units.some((unit) => scaleWords.test(unit))) return true;
  if (new Set(left.units).size !== 1 || rightUnits.length === 0) return false;
  const ratio = toNumber(left.value) / toNumber(right.value);
  const differs = left.units.at(-1) !== rightUnits[0];
  return differs && conversions.some((factor) => isNear(ratio, factor) || isNear(ratio, 1 / factor));
}

function isNear(a: number, b: number, share = 0.005): boolean {
  return Math.abs(a - b) <= share * Math.abs(b);
}

/**
 * The right side is only the first part of the left, worked out first (`2000 * 6 * 5 = 2000 * 6 = 12000; ...`), or
 * quotient and remainder (`35 / 3 = 11 * 3 + 2`).
 */
function isPartial({ left, right }: Equation, lexemes: readonly Lexeme[]): boolean {
  if (right.operations === 0) return false;
  const [l, r] = [left, right].map((side) => side.numbers.map((index) => numberAt(lexemes, index)));
  if (l === undefined || r === undefined) return false;
  if (r.length < l.length && r.every((value, place) => value === l[place])) return true;
  return left.operations === 1 && l.length === 2 && r.length === 3 && l[0] === toNumber(right.value);
}

function numberAt(lexemes: readonly Lexeme[], index: number): number | undefined {
  const lexeme = lexemes[index];
  return lexeme?.type === 'number' ? lexeme.size : undefined;
}

const money = /^(?:dollars?|cents?|euros?|pounds?|rupees?|yen|yuan)$/;

/** `3 pencils + 1 eraser = $1.24` states prices, it adds nothing up; `3 boys + 4 girls = 8 children` does. */
function isWordEquation(equation: Equation, lexemes: readonly Lexeme[]): boolean {
  const { left, right } = equation;
  if (right.operations > 0 || new Set(left.units).size < 2 || !hasOperator('+-', equation, lexemes))
    return false;
  const unit = unitAfter(right, lexemes);
  const value = lexemes[right.numbers[0] ?? -1];
  const isPrice = value?.type === 'number' && (value.currency || value.decimals > 0);
  return isPrice || unit === undefined || (money.test(unit) && !left.units.includes(unit));
}
