import type { Lexeme, MarkType, Operator, Relation } from './lexeme.ts';
import {
  isDigit,
  isLetter,
  isBlank,
  commandOperators,
  wordCommands,
  silentCommands,
  breakCommands,
  superscripts,
  gluedUnits,
  isShortWord,
  gluedMarks,
  isNumeral,
  markKind,
} from './lexer-tables.ts';

/** After so many words without a number, and up to so many units before the next one, prose is skipped. */
interface ProseSkip {
  readonly words: number;
  readonly margin: number;
}

const besideEquations: ProseSkip = { words: 6, margin: 48 };
/** Where nothing is equated, numbers count and hardly a word: a unit behind one, a command around one. */
const besideNumbers: ProseSkip = { words: 1, margin: 16 };
const equates = /[=≈]|\\approx|\\sim/;
const MAX_DIGITS = 40;
/** A double holds every whole number of so many digits. */
const MAX_EXACT_DIGITS = 15;
/** What may go on with a number: `{,}`, `\,`, `_`, `:`, an ellipsis. */
const gluesOn = Uint8Array.from({ length: 0x2027 }, (_, unit) =>
  unit === 123 || unit === 92 || unit === 95 || unit === 58 || unit === 0x2026 ? 1 : 0,
);

/** Cuts a text into lexemes in one pass: linear in its length, whatever it holds. */
export function lex(text: string): Lexeme[] {
  return new Lexer(text).run();
}

class Lexer {
  private readonly text: string;
  private readonly lexemes: Lexeme[] = [];
  private at = 0;
  private spaced = true;
  private currency = false;
  private wordsSinceNumber = 0;
  private readonly skip: ProseSkip;

  constructor(text: string) {
    this.text = text;
    this.skip = equates.test(text) ? besideEquations : besideNumbers;
  }

  run(): Lexeme[] {
    const { text } = this;
    while (this.at < text.length) {
      const unit = text.charCodeAt(this.at);
      if (unit === 32 || isBlank(unit)) this.blank();
      else if (isLetter(unit)) this.word();
      else if (isDigit(unit) || (unit === 46 && isDigit(text.charCodeAt(this.at + 1)))) this.number();
      else if (unit === 92) this.command();
      else this.mark();
    }
    return this.lexemes;
  }

  private blank(): void {
    this.at += 1;
    this.spaced = true;
  }

  /** After a lexeme, the next one begins without a blank or a currency sign before it. */
  private settle(): void {
    this.spaced = false;
    this.currency = false;
  }

  private push(type: MarkType, start: number): void {
    const { at: end, spaced } = this;
    this.lexemes.push({ type, text: '', operator: undefined, relation: undefined, start, end, spaced });
    this.settle();
  }

  private operator(operator: Operator, start: number): void {
    const { at: end, spaced } = this;
    this.lexemes.push({ type: 'operator', text: '', operator, relation: undefined, start, end, spaced });
    this.settle();
  }

  private relation(relation: Relation, start: number): void {
    const { at: end, spaced } = this;
    this.lexemes.push({ type: 'relation', text: '', operator: undefined, relation, start, end, spaced });
    this.settle();
  }

  /** Digits with thousands separators and a point; what is no plain number becomes one opaque lexeme. */
  private number(): void {
    const start = this.at;
    this.wordsSinceNumber = 0;
    const glued =
      start > 0 && (isLetter(this.text.charCodeAt(start - 1)) || this.text.charCodeAt(start - 1) === 95);
    if (!glued && this.wholeNumber(start)) return;
    let digits = this.digits();
    let plain = !glued;
    const leads = digits.length > 0 && digits.length <= 3;
    while (leads) {
      const separator = this.separatorLength();
      if (separator === 0 || !this.isThousandsGroup(separator)) break;
      this.at += separator;
      digits += this.digits();
    }
    if (this.text.charCodeAt(this.at) === 46 && isDigit(this.text.charCodeAt(this.at + 1))) {
      this.at += 1;
      digits += `.${this.digits()}`;
    }
    plain = !this.hasOddTail() && plain;
    const openEnded = this.isEllipsis();
    if (openEnded && digits.includes('.')) this.at += this.text.charCodeAt(this.at) === 46 ? 3 : 1;
    if (plain && digits.length <= MAX_DIGITS) this.pushNumber(digits, Number(digits), start, openEnded);
    else this.push('opaque', start);
  }

  /** Most numbers are a few digits with nothing glued to them. @returns false, and takes nothing, for any other */
  private wholeNumber(start: number): boolean {
    const { text } = this;
    let at = start;
    let size = 0;
    let unit = text.charCodeAt(at);
    for (; isDigit(unit); unit = text.charCodeAt(++at)) size = size * 10 + unit - 48;
    const length = at - start;
    if (length === 0 || length > MAX_EXACT_DIGITS || isLetter(unit) || gluesOn[unit] === 1) return false;
    // A full stop or a comma with no digit or second mark behind it is of the sentence.
    if (unit === 46 || unit === 44) {
      const next = text.charCodeAt(at + 1);
      if (isDigit(next) || next === 46 || next === 92) return false;
    }
    this.at = at;
    this.pushNumber(text.slice(start, at), size, start, false);
    return true;
  }

  private pushNumber(digits: string, size: number, start: number, openEnded: boolean): void {
    const { currency, spaced } = this;
    const percent = this.takePercent();
    const point = digits.indexOf('.');
    const decimals = point === -1 ? 0 : digits.length - point - 1;
    this.lexemes.push({
      type: 'number',
      digits,
      size,
      decimals,
      percent,
      currency,
      openEnded,
      start,
      end: this.at,
      spaced,
    });
    this.settle();
  }

  private digits(): string {
    const start = this.at;
    while (isDigit(this.text.charCodeAt(this.at))) this.at += 1;
    return this.text.slice(start, this.at);
  }

  private isEllipsis(): boolean {
    const unit = this.text.charCodeAt(this.at);
    return unit === 0x2026 || (unit === 46 && this.text.startsWith('...', this.at));
  }

  /** Of `{,}`, `,\!`, `\,` or a comma; 0 where none stands. */
  private separatorLength(): number {
    const unit = this.text.charCodeAt(this.at);
    if (unit === 44) return this.text.startsWith(',\\!', this.at) ? 3 : 1;
    if (unit === 123) return this.text.startsWith('{,}', this.at) ? 3 : 0;
    return unit === 92 && this.text.charCodeAt(this.at + 1) === 44 ? 2 : 0;
  }

  private isThousandsGroup(separator: number): boolean {
    const from = this.at + separator;
    for (let i = 0; i < 3; i += 1) if (!isDigit(this.text.charCodeAt(from + i))) return false;
    return !isDigit(this.text.charCodeAt(from + 3));
  }

  /** `3,5`, `1.2.3`, `5:30`, `2x`, `3rd`, `58_9`: digits that belong to something else. Swallows that tail. */
  private hasOddTail(): boolean {
    const unit = this.text.charCodeAt(this.at);
    const next = this.text.charCodeAt(this.at + 1);
    if ((unit === 44 || unit === 46 || unit === 58) && isDigit(next)) {
      this.at += 1;
      this.digits();
      return true;
    }
    if (unit === 95) return true;
    return isLetter(unit) && !this.isGluedUnit() && !this.isTimesSign();
  }

  private isGluedUnit(): boolean {
    let end = this.at;
    while (end - this.at < 10 && isLetter(this.text.charCodeAt(end))) end += 1;
    return gluedUnits.has(this.text.slice(this.at, end).toLowerCase());
  }

  /** `3x4` and `3 x 4`: the letter x between numbers. */
  private isTimesSign(): boolean {
    const unit = this.text.charCodeAt(this.at);
    if (unit !== 120 && unit !== 88) return false;
    let next = this.at + 1;
    while (next - this.at < 4 && isBlank(this.text.charCodeAt(next))) next += 1;
    if (gluedMarks.includes(this.text.charAt(next)) && next < this.text.length) next += 1;
    return isDigit(this.text.charCodeAt(next)) || (next > this.at + 1 && this.text.charCodeAt(next) === 40);
  }

  private takePercent(): boolean {
    let next = this.at;
    if (this.text.charCodeAt(next) === 32) next += 1;
    if (this.text.charCodeAt(next) === 92) next += 1;
    if (this.text.charCodeAt(next) !== 37) return false;
    next += 1;
    this.at = next;
    return true;
  }

  private word(): void {
    const start = this.at;
    const last = this.lexemes[this.lexemes.length - 1];
    if (last?.type === 'number' && this.isTimesSign()) {
      this.at += 1;
      this.operator('*', start);
      return;
    }
    const text = this.wordText();
    const isVariable = text.length <= 2 && !isShortWord(text);
    const isGlued = !this.spaced && last?.type === 'close' && !gluedUnits.has(text);
    if (!isVariable) this.unitPower();
    if (isVariable || isGlued) this.push('opaque', start);
    else this.pushWord(text, start);
    this.wordsSinceNumber += 1;
    if (this.wordsSinceNumber >= this.skip.words) this.skipProse();
  }

  private pushWord(text: string, start: number): void {
    const { at: end, spaced } = this;
    this.lexemes.push({ type: 'word', text, operator: undefined, relation: undefined, start, end, spaced });
    this.settle();
  }

  /** Far from any number, words say nothing about arithmetic: goes on shortly before the next digit. */
  private skipProse(): void {
    let digit = this.at;
    while (digit < this.text.length && !isNumeral(this.text.charCodeAt(digit))) digit += 1;
    const target = digit >= this.text.length ? digit : digit - this.skip.margin;
    if (target <= this.at) return;
    const start = this.at;
    this.at = target;
    while (this.at < digit && !isBlank(this.text.charCodeAt(this.at))) this.at += 1;
    this.push('break', start);
    this.spaced = true;
    this.wordsSinceNumber = 0;
  }

  /** Letters, and what joins letters (`pounds/book`, `it's`, `two-thirds`), in lower case. */
  private wordText(): string {
    const { text, at: start } = this;
    let at = start;
    let isLower = true;
    for (; ; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit >= 97 && unit <= 122) continue;
      const joins = unit === 47 || unit === 39 || unit === 0x2019 || unit === 45;
      if (!(joins ? isLetter(text.charCodeAt(at + 1)) : isLetter(unit))) break;
      isLower &&= joins;
    }
    this.at = at;
    const word = text.slice(start, at);
    return isLower ? word : word.toLowerCase();
  }

  /** `cm^2`, `cm²`: the power belongs to the unit. */
  private unitPower(): void {
    const unit = this.text.charCodeAt(this.at);
    if (unit === 94 && isDigit(this.text.charCodeAt(this.at + 1))) {
      this.at += 1;
      this.digits();
    } else if (unit > 127 && superscripts.includes(this.text.charAt(this.at))) this.at += 1;
  }

  private command(): void {
    const start = this.at;
    this.at += 1;
    const unit = this.text.charCodeAt(this.at);
    if (!isLetter(unit)) {
      this.escapedMark(start, unit);
      return;
    }
    while (isLetter(this.text.charCodeAt(this.at))) this.at += 1;
    this.namedCommand(this.text.slice(start + 1, this.at), start);
  }

  private escapedMark(start: number, unit: number): void {
    this.at += 1;
    if (unit === 92) this.lineEnd(start);
    else if (unit === 91 || unit === 93) this.push('break', start);
    else if (unit === 44 || unit === 59 || unit === 33 || unit === 32 || unit === 58) this.spaced = true;
    else if (unit === 36) this.currency = true;
    else if (unit !== 40 && unit !== 41) this.push('opaque', start);
  }

  private namedCommand(name: string, start: number): void {
    const operator = commandOperators[name];
    if (operator !== undefined) this.operator(operator, start);
    else if (name === 'frac' || name === 'dfrac' || name === 'tfrac') this.push('fraction', start);
    else if (name === 'sqrt') this.push('root', start);
    else if (name === 'approx' || name === 'simeq' || name === 'sim') this.relation('~', start);
    else if (name === 'neq' || name === 'ne' || name === 'equiv' || name === 'le' || name === 'ge')
      this.relation('other', start);
    else if (name === 'leq' || name === 'geq' || name === 'lt' || name === 'gt' || name === 'not')
      this.relation('other', start);
    else if (wordCommands.has(name)) this.wordGroup(start);
    else if (breakCommands.has(name)) this.push('break', start);
    else if (!silentCommands.has(name) && name !== 'boxed') this.push('opaque', start);
  }

  /** `\text{ pounds}`: one word, whatever it holds. */
  private wordGroup(start: number): void {
    if (this.text.charCodeAt(this.at) !== 123) return;
    const close = this.text.indexOf('}', this.at);
    const inner = this.text.slice(this.at + 1, close === -1 ? this.text.length : close).trim();
    this.at = close === -1 ? this.text.length : close + 1;
    this.unitPower();
    if (inner === '') this.spaced = true;
    else this.pushWord(inner.toLowerCase(), start);
  }

  private lineEnd(start: number): void {
    let next = this.at;
    while (
      next < this.text.length &&
      (isBlank(this.text.charCodeAt(next)) || this.text.charCodeAt(next) === 10)
    )
      next += 1;
    if (this.text.charCodeAt(next) === 38) next += 1;
    this.at = next;
    if (this.text.charCodeAt(next) === 61) this.spaced = true;
    else {
      this.push('break', start);
      this.bullet();
    }
    this.spaced = true;
  }

  /** A list mark at the start of a line is no minus and no times sign. */
  private bullet(): void {
    const mark = this.text.charAt(this.at);
    const isMark = mark === '-' || mark === '*' || mark === '+' || mark === '•' || mark === '–';
    if (isMark && isBlank(this.text.charCodeAt(this.at + 1))) this.at += 1;
  }

  private mark(): void {
    const start = this.at;
    const unit = this.text.charCodeAt(start);
    this.at += 1;
    const kind = markKind(unit);
    switch (kind) {
      case 'break':
        this.dots(start);
        break;
      case 'line end':
        this.lineEnd(start);
        break;
      case 'relation':
        this.relationMark(this.text.charAt(start), start);
        break;
      case 'open':
      case 'close':
        this.push(kind, start);
        break;
      case 'currency':
        this.currency = true;
        break;
      case 'alignment':
        this.spaced = true;
        break;
      case 'vulgar fraction':
        this.vulgar(unit, start);
        break;
      case 'superscript':
        this.superscript(start);
        break;
      case 'silent':
        break;
      case 'unknown':
        this.push('opaque', start);
        break;
      default:
        this.operatorMark(kind, start);
    }
  }

  private dots(start: number): void {
    if (this.text.charCodeAt(start) !== 46 || this.text.charCodeAt(start + 1) !== 46) {
      this.push('break', start);
      return;
    }
    while (this.text.charCodeAt(this.at) === 46) this.at += 1;
    this.push('opaque', start);
  }

  private vulgar(unit: number, start: number): void {
    const [digits, size] = unit === 0xbd ? ['0.5', 0.5] : unit === 0xbc ? ['0.25', 0.25] : ['0.75', 0.75];
    if (!isDigit(this.text.charCodeAt(start - 1))) this.pushNumber(digits, size, start, false);
    else this.push('opaque', start);
  }

  private superscript(start: number): void {
    this.operator('^', start);
    const digit = superscripts.indexOf(this.text.charAt(start));
    this.pushNumber(String(digit), digit, start, false);
  }

  private operatorMark(operator: Operator, start: number): void {
    const doubled = this.text.charCodeAt(start) === 42 && this.text.charCodeAt(this.at) === 42;
    if (!doubled) {
      this.operator(operator, start);
      return;
    }
    this.at += 1;
    const last = this.lexemes.at(-1)?.type;
    const isPower =
      (last === 'number' || last === 'close') &&
      /[\d(]/.test(this.text.charAt(this.at).trim() || this.text.charAt(this.at + 1));
    if (isPower && !this.spaced === !isBlank(this.text.charCodeAt(this.at))) this.operator('^', start);
  }

  private relationMark(mark: string, start: number): void {
    const next = this.text.charAt(this.at);
    if (mark === '=' && (next === '>' || next === '=')) {
      while (this.text.charCodeAt(this.at) === 61) this.at += 1;
      if (this.text.charAt(this.at) === '>') {
        this.at += 1;
        this.push('break', start);
      } else this.relation('=', start);
    } else if (mark === '=') this.relation('=', start);
    else if (mark === '≈') this.relation('~', start);
    else if (mark === '!' && next !== '=') this.exclamation(start);
    else if ((mark === '<' || mark === '>') && next === mark) {
      this.at += 1;
      this.push('break', start);
    } else {
      if (next === '=') this.at += 1;
      this.relation('other', start);
    }
  }

  private exclamation(start: number): void {
    const last = this.lexemes.at(-1);
    const glued = (last?.type === 'number' || last?.type === 'close') && !this.spaced;
    const leads = !glued && /[\w(]/.test(this.text.charAt(this.at));
    this.push(glued ? 'factorial' : leads ? 'opaque' : 'break', start);
  }
}
