import type { Lexeme } from './lexeme.ts';
import { lex } from './lexer.ts';
import { isDigit } from './lexer-tables.ts';
import { wordHashes } from './words.ts';

const numberWords: Readonly<Record<string, readonly number[]>> = {
  one: [1],
  two: [2],
  three: [3],
  four: [4],
  five: [5],
  six: [6],
  seven: [7],
  eight: [8],
  nine: [9],
  ten: [10],
  eleven: [11],
  twelve: [12],
  thirteen: [13],
  fourteen: [14],
  fifteen: [15],
  sixteen: [16],
  seventeen: [17],
  eighteen: [18],
  nineteen: [19],
  twenty: [20],
  thirty: [30],
  forty: [40],
  fifty: [50],
  sixty: [60],
  seventy: [70],
  eighty: [80],
  ninety: [90],
  hundred: [100],
  thousand: [1000],
  million: [1e6],
  billion: [1e9],
  first: [1],
  second: [2],
  third: [3, 1 / 3],
  thirds: [3, 1 / 3, 2 / 3],
  fourth: [4, 0.25],
  fourths: [4, 0.25, 0.75],
  fifth: [5, 0.2],
  fifths: [5, 0.2, 0.4, 0.6, 0.8],
  sixth: [6, 1 / 6],
  seventh: [7],
  eighth: [8, 0.125],
  ninth: [9],
  tenth: [10, 0.1],
  half: [0.5, 2, 1.5],
  halves: [0.5, 2],
  quarter: [0.25, 4, 0.75],
  quarters: [0.25, 4, 0.75],
  twice: [2],
  double: [2],
  doubled: [2],
  doubles: [2],
  triple: [3],
  tripled: [3],
  triples: [3],
  thrice: [3],
  quadruple: [4],
  dozen: [12],
  dozens: [12],
  pair: [2],
  pairs: [2],
  couple: [2],
  both: [2],
  week: [7, 5, 2],
  weeks: [7, 5, 2],
  weekly: [7, 52],
  weekday: [5],
  weekdays: [5],
  weekend: [2],
  day: [24, 7, 365],
  days: [24, 7, 365],
  daily: [7, 30, 365],
  month: [12, 30, 4, 31],
  months: [12, 30, 4, 31],
  monthly: [12, 30],
  year: [12, 52, 365, 366, 10],
  years: [12, 52, 365, 366, 10],
  yearly: [12, 52, 365],
  annual: [12, 52],
  annually: [12, 52],
  decade: [10],
  decades: [10],
  century: [100],
  hour: [60, 24, 3600],
  hours: [60, 24, 3600],
  hourly: [60, 24],
  minute: [60],
  minutes: [60],
  seconds: [60],
  foot: [12, 3],
  feet: [12, 3],
  inch: [12],
  inches: [12],
  yard: [3, 36],
  yards: [3, 36],
  mile: [5280],
  miles: [5280],
  pound: [16],
  pounds: [16, 2000],
  ounce: [16, 8],
  ounces: [16, 8],
  gallon: [4, 128, 16],
  gallons: [4, 128],
  quart: [4, 2],
  cup: [16, 8],
  cups: [16, 8],
  ton: [2000],
  tons: [2000],
  nickel: [5, 0.05],
  nickels: [5, 0.05],
  dime: [10, 0.1],
  dimes: [10, 0.1],
  penny: [0.01],
  pennies: [0.01],
  percent: [100],
  square: [4],
  triangle: [3, 0.5],
  cube: [6, 3, 12, 8],
  rectangle: [4],
  dogs: [4],
  dog: [4],
  cat: [4],
  cats: [4],
  tricycle: [3],
  tricycles: [3],
  car: [4],
  cars: [4],
  alphabet: [26],
  deck: [52],
  dice: [6],
  die: [6],
  unicycle: [1],
  leg: [4],
  legs: [4],
  human: [2],
  spider: [8],
  spiders: [8],
};

/** The same by the hash of the word. */
const valuesOfWords = new Map(
  Object.entries(numberWords).flatMap(([word, values]) =>
    wordHashes(word).map((hash) => [hash, values] as const),
  ),
);

/** Nearly every word of a chain names no number: one look into this table tells, where a map takes many. */
const mayName = new Uint8Array(1 << 13);
for (const hash of valuesOfWords.keys()) mayName[(hash >>> 1) & (mayName.length - 1)] = 1;

/** A text as rules read it: see `StepReading`. */
export interface TextReading {
  readonly text: string;
  readonly lexemes: readonly Lexeme[];
  readonly words: readonly number[];
}

export function readText(text: string): TextReading {
  return { text, lexemes: lex(text), words: wordHashes(text) };
}

/** What everyone brings along: nothing, the whole, halves, percent, the clock, the calendar, the circle. */
const commonConstants = [0, 1, 2, 0.5, 10, 100, 1000, 0.01, 0.1, 3.14, 22 / 7, 180, 360, 90];

/** Rounds away what doubles add, so that 0.1 + 0.2 finds 0.3. */
export function keyOf(value: number): number {
  return Number.isInteger(value) ? value : Math.round(value * 1e6) / 1e6;
}

/** 48 cents are .48 of what sums are in. */
function isCents(lexeme: Lexeme | undefined): boolean {
  return lexeme?.type === 'word' && (lexeme.text === 'cents' || lexeme.text === 'cent');
}

const MAX_KNOWN = 4_096;
const MAX_BASIS = 32;

/** The quantities that a question or a chain has introduced so far; bounded. */
export class Quantities {
  private known = new Set<number>();
  /** What was remembered before `known` was full; forgotten when it is full again. */
  private older: ReadonlySet<number> = new Set<number>();
  /** Where one operation on known quantities may start from: the question's numbers, and the latest of the chain. */
  private readonly given: number[] = [];
  private readonly latest: number[] = [];
  private added = 0;

  constructor(constants: readonly number[] = commonConstants) {
    for (const value of constants) this.remember(value);
  }

  has(value: number): boolean {
    const key = keyOf(Math.abs(value));
    return this.known.has(key) || this.older.has(key);
  }

  /** Whether one operation on two introduced quantities yields `value`. */
  derives(value: number): boolean {
    const basis = [...this.given, ...this.latest];
    const keys = new Set(basis.map(keyOf));
    return basis.some((a) =>
      [value - a, a - value, value + a, value / a, a / value, value * a].some((b) => keys.has(keyOf(b))),
    );
  }

  add(value: number, isGiven: boolean): void {
    this.remember(value);
    if (isGiven) {
      if (this.given.length < MAX_BASIS) this.given.push(value);
      return;
    }
    this.latest[this.added % MAX_BASIS] = value;
    this.added += 1;
  }

  private remember(value: number): void {
    if (this.known.size >= MAX_KNOWN) {
      this.older = this.known;
      this.known = new Set();
    }
    this.known.add(keyOf(Math.abs(value)));
  }

  /** Takes in everything that a text names: numbers, percents in their forms, number words, units of time. */
  addText({ text, lexemes, words }: TextReading, isGiven: boolean): void {
    for (const word of words) {
      if (mayName[(word >>> 1) & (mayName.length - 1)] === 0) continue;
      const values = valuesOfWords.get(word);
      if (values !== undefined) for (const value of values) this.remember(value);
    }
    for (let place = 0; place < lexemes.length; place += 1) {
      const lexeme = lexemes[place];
      if (lexeme?.type === 'number') {
        this.addNumber(lexeme, isGiven);
        if (isCents(lexemes[place + 1])) this.remember(lexeme.size / 100);
      } else if (lexeme?.type === 'opaque' && isDigit(text.charCodeAt(lexeme.start))) {
        this.addLeadingDigits(text.slice(lexeme.start, Math.min(lexeme.end, lexeme.start + 20)));
      }
    }
  }

  /** The 14 of `14x`, the 58 of `58_9`. */
  private addLeadingDigits(text: string): void {
    const digits = /^\d+(?:\.\d+)?/.exec(text)?.[0];
    if (digits !== undefined) this.add(Number(digits), false);
  }

  private addNumber(lexeme: Lexeme & { type: 'number' }, isGiven: boolean): void {
    const value = lexeme.size;
    this.add(value, isGiven);
    const share = value / 100;
    if (!lexeme.percent && !(value > 0 && value < 1)) return;
    const part = lexeme.percent ? share : value;
    for (const form of [part, 1 - part, 1 + part, 100 * part, 100 - 100 * part, 100 + 100 * part]) {
      this.remember(form);
    }
  }
}
