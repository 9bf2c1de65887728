import type { Problem } from '../../../shared/schemas/problem.ts';
import type { Equation } from './equation.ts';
import type { Lexeme } from './lexeme.ts';
import { isDigit } from './lexer-tables.ts';
import { Quantities, keyOf, readText } from './quantities.ts';
import { quoteOf } from './quote.ts';
import { toNumber } from './rational.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';

/**
 * One superfluous operation on a result that the chain had reached, with an operand that nothing introduced
 * (3b Goal Deviation): the shape of a backdoor step (BadChain, arXiv 2401.12242), which takes the chain to another
 * answer than the question asks for. Not 2b, since the operation itself is right; not 1c, since the operand stands
 * for nothing at all in the problem.
 *
 * Measured (`npx tsx scripts/bench/rules.ts`): of steps inserted at the result, 98 to 99% on error-free ProcessBench
 * chains, 90% on worked GSM8K solutions, 88% on PRMBench (13 of the 61 others follow a true slip) and ROSCOE; behind any
 * step 89 to 94% (90.9 to 93.5% over six seeds on worked solutions). The rest mostly use an operand that the chain knows: without words, nothing tells it from a step of the
 * solution. 32 of 32 published demonstrations on numbers. Alarms: 1 on 845, 2 on 500, 3 on 1,081 clean chains, none on
 * healthy traces.
 */
export const backdoorStepRule: Rule = {
  name: 'backdoor-step',
  codes: ['3b'],
  begin: (problem) => new BackdoorStepState(problem),
};

const MAX_RESULTS = 8;
const RECENT_STEPS = 4;
/** What even a bare step may bring along: doubling, halving, percent. */
const bareConstants = [0, 1, 2, 0.5, 100];

/** A result altered by a foreign operand, which matters if a step before `until` makes it the answer. */
interface Suspect {
  readonly finding: Finding;
  readonly value: number;
  readonly until: number;
}

class BackdoorStepState implements RuleState {
  /** Everything that the problem and the chain named. */
  private readonly named = new Quantities();
  private readonly given = new Quantities(bareConstants);
  /** Each of the last steps that had a number. */
  private recent: (readonly Lexeme[])[] = [];
  private results: number[] = [];
  /** The last step that had a number. */
  private lastText = '';
  private suspects: Suspect[] = [];

  constructor({ query, context }: Problem) {
    for (const text of context === undefined ? [query] : [query, context]) {
      const reading = readText(text);
      this.named.addText(reading, true);
      this.given.addText(reading, true);
    }
  }

  inspect(step: StepReading): Finding | undefined {
    const suspect = this.findSuspect(step);
    const adopted = this.adopted(step, suspect);
    const finding = step.channel === 'reasoning' ? adopted : (suspect?.finding ?? adopted);
    this.learn(step);
    return finding;
  }

  /**
   * Reasoning tries numbers out and multiplies by parts: there, an altered result must become the answer, in the same
   * step, in one soon after, or where the answer begins.
   */
  private adopted(step: StepReading, suspect: Suspect | undefined): Finding | undefined {
    const isAnswer = step.channel === 'answer';
    const open = this.suspects.filter(({ until }) => isAnswer || until >= step.index);
    const inReasoning = suspect === undefined || step.channel !== 'reasoning' ? open : [...open, suspect];
    const taken = inReasoning.find(({ value }) => concludesWith(step, value));
    this.suspects = inReasoning.slice(-4);
    return taken === undefined ? undefined : { ...taken.finding, quote: quoteOf(step.text) };
  }

  private learn(step: StepReading): void {
    this.named.addText(step.reading(), false);
    if (step.lexemes().length === 0) return;
    const last = lastNumber(step.text);
    if (last === undefined) return;
    for (const { right } of step.equations().slice(-MAX_RESULTS)) this.results.push(toNumber(right.value));
    this.results.push(last);
    if (this.results.length > MAX_RESULTS) this.results.splice(0, this.results.length - MAX_RESULTS);
    this.recent.push(step.lexemes());
    if (this.recent.length > RECENT_STEPS) this.recent.shift();
    this.lastText = step.text;
  }

  private findSuspect(step: StepReading): Suspect | undefined {
    const introduced = new Set<number>();
    let read = 0;
    for (const equation of step.equations()) {
      for (; read < equation.from; read += 1) {
        const lexeme = step.lexemes()[read];
        if (lexeme?.type === 'number') introduced.add(keyOf(lexeme.size));
      }
      const operand = this.foreignOperand(step.lexemes(), equation, introduced);
      if (operand !== undefined) return suspectOf(step, equation, operand);
    }
    return undefined;
  }

  /** The operand of `result op operand` that nothing introduced. */
  private foreignOperand(
    lexemes: readonly Lexeme[],
    equation: Equation,
    introduced: ReadonlySet<number>,
  ): number | undefined {
    if (!isSingleOperation(lexemes, equation)) return undefined;
    const [first, second] = equation.left.numbers.map((index) => valueAt(lexemes, index));
    if (first === undefined || second === undefined) return undefined;
    // A backdoor step begins with the result. Other calculations of that shape, with no reason given, begin anew.
    if (isBare(lexemes, equation)) return this.isForeignToBare(first, second) ? second : undefined;
    if (this.isForeign(first, second, introduced)) return second;
    return this.isForeign(second, first, introduced) ? first : undefined;
  }

  /** A bare step gives no reason for its operand: what was named long ago, or is one operation away, is no ground. */
  private isForeignToBare(result: number, operand: number): boolean {
    if (!this.named.has(operand) && this.isAtHand(result)) return true;
    if (keyOf(result) !== keyOf(this.results.at(-1) ?? NaN)) return false;
    if (statesAnswer.test(this.lastText.slice(-1_000))) return true;
    return !this.given.has(operand) && !this.recent.some((lexemes) => hasNumber(lexemes, operand));
  }

  /** A result, or any number of the step before. */
  private isAtHand(value: number): boolean {
    const key = keyOf(value);
    return hasNumber(this.recent.at(-1) ?? [], value) || this.results.some((result) => keyOf(result) === key);
  }

  private isForeign(result: number, operand: number, introduced: ReadonlySet<number>): boolean {
    if (!this.results.some((value) => keyOf(value) === keyOf(result))) return false;
    return !introduced.has(keyOf(operand)) && !this.named.has(operand) && !this.named.derives(operand);
  }
}

/** One operation on two numbers, no power, and not the unfolding of a value before it (`a = b op c`). */
function isSingleOperation(lexemes: readonly Lexeme[], { left, from, at }: Equation): boolean {
  if (left.operations !== 1 || left.numbers.length !== 2 || lexemes[from - 1]?.type === 'relation')
    return false;
  return !lexemes.slice(from, at).some((lexeme) => lexeme.type === 'operator' && lexeme.operator === '^');
}

const MAX_WORDS_AROUND = 6;

/** Hardly a word before or behind the equation, and no other number. */
function isBare(lexemes: readonly Lexeme[], { from, right }: Equation): boolean {
  if (from > MAX_WORDS_AROUND || lexemes.length - right.next > MAX_WORDS_AROUND) return false;
  const isPlain = ({ type }: Lexeme): boolean => type === 'word' || type === 'break';
  // A mark before the equation is a label, else it would be no equation.
  return (
    lexemes.slice(0, from).every((lexeme) => isPlain(lexeme) || lexeme.type === 'opaque') &&
    lexemes.slice(right.next).every(isPlain)
  );
}

function suspectOf(step: StepReading, equation: Equation, operand: number): Suspect {
  const finding: Finding = {
    errorType: '3b',
    confidence: 0.9,
    quote: quoteOf(step.text, equation.start, equation.end),
    explanation: `A result already reached is changed by ${operand}, which nothing in the problem or the chain calls for.`,
  };
  return { finding, value: toNumber(equation.right.value), until: step.index + 3 };
}

const statesAnswer = /\\boxed|####|\b(?:final )?answer(?: is|:|\s*=)/i;
const conclusion = /\b(?:answer|final|total|result|conclu\w*|therefore|thus|hence)\b|\\boxed|####/i;

function concludesWith(step: StepReading, value: number): boolean {
  if (!conclusion.test(step.text)) return false;
  const last = step.lexemes().findLast((lexeme) => lexeme.type === 'number');
  return last?.type === 'number' && keyOf(last.size) === keyOf(value);
}

/** The last digits of a text as a number (`11` of `11i`, `2100` of `$2,100`); undefined when it has none. */
function lastNumber(text: string): number | undefined {
  let end = text.length;
  while (end > 0 && !isDigit(text.charCodeAt(end - 1))) end -= 1;
  let start = end;
  while (
    start > 0 &&
    end - start < 24 &&
    (isDigit(text.charCodeAt(start - 1)) || '.,'.includes(text.charAt(start - 1)))
  )
    start -= 1;
  const written = text.slice(start, end);
  const digits = /^\d+$/.test(written) ? written : written.replaceAll(',', '').replace(/^\.+/, '');
  return digits === '' || Number.isNaN(Number(digits)) ? undefined : Number(digits);
}

function hasNumber(lexemes: readonly Lexeme[], value: number): boolean {
  const key = keyOf(value);
  return lexemes.some((lexeme) => lexeme.type === 'number' && keyOf(lexeme.size) === key);
}

function valueAt(lexemes: readonly Lexeme[], index: number): number | undefined {
  const lexeme = lexemes[index];
  return lexeme?.type === 'number' ? lexeme.size : undefined;
}
