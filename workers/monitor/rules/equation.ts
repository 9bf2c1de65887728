import { isEndingWord, plainReading, readExpression, type Expression, type Reading } from './expression.ts';
import type { Lexeme } from './lexeme.ts';

/** One `left = right` of a step whose sides both have a value. A chain `a = b = c` gives two. */
export interface Equation {
  readonly approximate: boolean;
  readonly left: Expression;
  readonly right: Expression;
  /** Both sides under another reading; undefined where that reading gives no value. */
  readonly reread: (reading: Reading) => { left: Expression; right: Expression } | undefined;
  /** Offsets in the step's text. */
  readonly start: number;
  readonly end: number;
  /** Index of the first lexeme of the left side, and of the relation. */
  readonly from: number;
  readonly at: number;
}

/** Words before an expression that make it part of something larger (`log 5 + 3`, `half of 10`). */
const bindingWords = new Set(
  'mod choose log ln sin cos tan sqrt of over times plus minus subtract subtracting by divided root power gcd lcm pi per every each remainder'.split(
    ' ',
  ),
);

/** All equations of a step, in order; linear in the number of lexemes. */
export function findEquations(lexemes: readonly Lexeme[]): Equation[] {
  const equations: Equation[] = [];
  let floor = 0;
  for (let at = 0; at < lexemes.length; at += 1) {
    const lexeme = lexemes[at];
    if (lexeme?.type !== 'relation') continue;
    if (lexeme.relation !== 'other') {
      const equation = equationAt(lexemes, at, floor, lexeme.relation === '~');
      if (equation !== undefined) equations.push(equation);
    }
    floor = at + 1;
  }
  return equations;
}

function equationAt(
  lexemes: readonly Lexeme[],
  at: number,
  floor: number,
  approximate: boolean,
): Equation | undefined {
  const from = leftStart(lexemes, at, floor);
  if (from === undefined) return undefined;
  const limit = rightLimit(lexemes, at + 1);
  const left = readExpression(lexemes, from, at, plainReading);
  if (left?.next !== at) return undefined;
  const right = readExpression(lexemes, at + 1, limit, plainReading);
  if (right === undefined || !endsCleanly(lexemes, right.next, limit)) return undefined;
  const start = lexemes[from]?.start ?? 0;
  const end = lexemes[right.next - 1]?.end ?? start;
  const reread = (reading: Reading): { left: Expression; right: Expression } | undefined => {
    const l = readExpression(lexemes, from, at, reading);
    const r = readExpression(lexemes, at + 1, limit, reading);
    return l === undefined || r === undefined ? undefined : { left: l, right: r };
  };
  return { approximate, left, right, reread, start, end, from, at };
}

/** Where the right side can reach at most: the next relation or break. */
function rightLimit(lexemes: readonly Lexeme[], from: number): number {
  for (let i = from; i < lexemes.length; i += 1) {
    const type = lexemes[i]?.type;
    if (type === 'relation' || type === 'break') return i;
  }
  return lexemes.length;
}

/** What follows the right side must not go on with it: an operator, a variable or a bracket without a blank. */
function endsCleanly(lexemes: readonly Lexeme[], next: number, limit: number): boolean {
  const after = lexemes[next];
  if (after === undefined || next >= limit) return true;
  if (after.type === 'word')
    return (
      !bindingWords.has(after.text) ||
      (after.text === 'of' && lexemes[next + 1]?.type === 'word') ||
      after.text === 'per' ||
      after.text === 'each' ||
      after.text === 'every'
    );
  if (after.type === 'open') return after.spaced && lexemes[next + 1]?.type === 'word';
  return after.type === 'break' || after.type === 'close' || after.type === 'relation';
}

/** The first lexeme of the longest expression that ends at the relation `at`; undefined when there is none. */
function leftStart(lexemes: readonly Lexeme[], at: number, floor: number): number | undefined {
  const from = scanBack(lexemes, at, floor);
  const first = lexemes[from];
  if (first === undefined || from >= at) return undefined;
  const before = from > floor ? lexemes[from - 1] : undefined;
  if (before?.type === 'number' || before?.type === 'close') return undefined;
  if (before?.type === 'opaque' && !(first.spaced && isLabel(lexemes, from, floor))) return undefined;
  if (before?.type === 'word' && bindingWords.has(before.text) && !isSumOf(lexemes, from - 1, floor))
    return undefined;
  if (before?.type === 'word' && first.type === 'open' && !first.spaced) return undefined;
  // The sum began earlier: `25 classmates + his 1 teacher + 1 = 27`.
  if (before?.type === 'word' && from - 2 >= floor && lexemes[from - 2]?.type === 'operator')
    return undefined;
  if (first.type !== 'operator') return first.type === 'close' ? undefined : from;
  const isSign = first.operator === '-' && lexemes[from + 1]?.spaced === false;
  const standsFree = before === undefined || before.type === 'break' || before.type === 'open';
  return isSign && standsFree ? from : undefined;
}

/** `a total of 3 * 4`, `the cost of 3 * 4`: unlike a half, a root or a multiple, it is what follows. */
const sums = new Set(
  'total sum amount cost costs price profit discount tip tax taxes interest distance speed height length age salary wage wages pay bill fee fees population'.split(
    ' ',
  ),
);

function isSumOf(lexemes: readonly Lexeme[], at: number, floor: number): boolean {
  const [noun, of] = [lexemes[at - 1], lexemes[at]];
  return (
    at - 1 >= floor && of?.type === 'word' && of.text === 'of' && noun?.type === 'word' && sums.has(noun.text)
  );
}

/**
 * Whether what stands before the expression is a mark at the beginning of a line (`@_@ 78 * 2.1`, `bb 78 * 2.1`) and no
 * factor of it: several signs in a row, or two letters. Variables and commands (`x 5`, `\\pi 5`) are one lexeme.
 */
function isLabel(lexemes: readonly Lexeme[], from: number, floor: number): boolean {
  let begin = from - 1;
  while (begin > floor && lexemes[begin - 1]?.type === 'opaque' && lexemes[begin]?.spaced === false)
    begin -= 1;
  const [first, last] = [lexemes[begin], lexemes[from - 1]];
  const before = begin > floor ? lexemes[begin - 1] : undefined;
  if (first === undefined || last === undefined || (before !== undefined && before.type !== 'break'))
    return false;
  return begin < from - 1 || last.end - last.start === 2;
}

function scanBack(lexemes: readonly Lexeme[], at: number, floor: number): number {
  let depth = 0;
  let from = at;
  for (let i = at - 1; i >= floor; i -= 1) {
    const lexeme = lexemes[i];
    if (lexeme === undefined) break;
    if (lexeme.type === 'word' && depth === 0) {
      const run = unitRun(lexemes, i, floor);
      if (run === undefined) break;
      i = run;
    } else if (lexeme.type === 'close') depth += 1;
    else if (lexeme.type === 'open') {
      if (depth === 0) break;
      depth -= 1;
    } else if (!isPartOfExpression(lexeme, depth)) break;
    if (depth === 0) from = i;
  }
  return from;
}

function isPartOfExpression(lexeme: Lexeme, depth: number): boolean {
  if (depth > 0 && lexeme.type === 'word') return true;
  return (
    lexeme.type === 'number' ||
    lexeme.type === 'operator' ||
    lexeme.type === 'fraction' ||
    lexeme.type === 'root' ||
    lexeme.type === 'factorial'
  );
}

/** If the words that end at `last` are the unit of a value before them, the index of their first. */
function unitRun(lexemes: readonly Lexeme[], last: number, floor: number): number | undefined {
  const after = lexemes[last + 1]?.type;
  const followed = after === 'operator' || after === 'relation' || after === 'open' || after === 'close';
  const isOf = isFractionOf(lexemes, last);
  if (!followed && !isOf) return undefined;
  for (let i = last; i >= floor && last - i < 4; i -= 1) {
    const lexeme = lexemes[i];
    if (lexeme?.type === 'number' || lexeme?.type === 'close') return i + 1;
    if (lexeme?.type !== 'word' || (isEndingWord(lexeme.text) && !isOf)) return undefined;
  }
  return undefined;
}

function isFractionOf(lexemes: readonly Lexeme[], at: number): boolean {
  const lexeme = lexemes[at];
  if (lexeme?.type !== 'word' || lexeme.text !== 'of') return false;
  return lexemes[at - 1]?.type === 'number' && lexemes[at + 1]?.type === 'number';
}
