import { isDigit } from './lexer-tables.ts';

/** A longer item, or one that calculates, is a step of reasoning that happens to have a mark before it. */
const LONGEST_ITEM = 200;
/** What a marked line, or a number, without the shape of an item takes off the count. */
const REASONING_COSTS = 3;
const MAX_GAP_LINES = 1;
/** Numbers of items may fall between two steps. */
const MAX_SKIPPED = 2;

/**
 * A letter that begins a line is a mark before `.` or `)`, or may begin one of the words of `mark`; any other is of a
 * sentence, which takes no pattern to see.
 */
function beginsSentence(text: string, at: number): boolean {
  const lower = text.charCodeAt(at) | 32;
  if (lower < 97 || lower > 122 || text.charCodeAt(at) > 127) return false;
  const next = text.charCodeAt(at + 1);
  return next !== 46 && next !== 41 && lower !== 115 && lower !== 105 && lower !== 111 && lower !== 114;
}

const mark =
  /^\s{0,8}(?:[-*•+–]|\(?\d{1,6}[.):、]|[a-zA-Z][.)]|(?:step|item|option|idea|reason)\s{1,4}\d{1,6}\b)\s?/iu;
const digitsOnly = /^[\s\d.,;:|()[\]{}&\\+*/=-]*$/;
/** A few words from a capital on and nothing else on a line, without a mark: an item too. */
const bareItem = /^[ \t]{0,8}[\p{Lu}\p{Lo}][\p{L}'’-]{0,30}(?: [\p{L}'’-]{1,30}){0,5}[ \t]{0,2}$/u;
const LONGEST_BARE_ITEM = 60;

/** Items in a row, a line each; one line in between is allowed, and blank ones do not count. */
export class LineCount {
  items = 0;
  private gap = 0;

  /** Takes the next line of the chain: `text` from `from` to `to`. */
  read(text: string, from: number, to: number): void {
    const length = to - from;
    const isSentence = beginsSentence(text, from);
    const head = isSentence ? '' : text.slice(from, Math.min(to, from + 40));
    if (!isSentence && head.trim() === '') return;
    const isMarked = !isSentence && mark.test(head);
    const isItem = isMarked
      ? length <= LONGEST_ITEM && isListItem(text.slice(from, to))
      : length <= LONGEST_BARE_ITEM && bareItem.test(text.slice(from, to));
    if (isItem) {
      this.items += 1;
      this.gap = 0;
    } else if (isMarked) this.items = Math.max(0, this.items - REASONING_COSTS);
    else if (++this.gap > MAX_GAP_LINES) this.items = 0;
  }
}

function isListItem(line: string): boolean {
  return !line.includes('=') && (line.length <= 8 || !digitsOnly.test(line));
}

/**
 * Items numbered one by one (`17.`, `17)`, `17:` before white space), wherever they stand: a list that lost its line
 * breaks. Other numbers in between do not end the count, a new start does.
 */
export class OrdinalCount {
  items = 0;
  private last = 0;
  /** Where the last item began; steps before this one count. */
  private place = 0;
  private calculates = false;

  /** Takes a digit that no digit stands before. */
  number(text: string, at: number): void {
    let end = at;
    while (isDigit(text.charCodeAt(end + 1))) end += 1;
    const before = text.charCodeAt(at - 1);
    const isOrdinal =
      end - at < 5 && before !== 46 && isMark(text.charCodeAt(end + 1)) && !(text.charCodeAt(end + 2) > 32);
    if (isOrdinal) this.count(Number(text.slice(at, end + 1)), at);
  }

  /** Takes an equals sign: what stands between two numbers is a calculation. */
  equals(): void {
    this.calculates = true;
  }

  endStep(length: number): void {
    this.place -= length;
  }

  private count(value: number, at: number): void {
    if (value > this.last && value <= this.last + MAX_SKIPPED) {
      const isItem = at - this.place <= LONGEST_ITEM && !this.calculates;
      this.items = isItem ? this.items + 1 : Math.max(0, this.items - REASONING_COSTS);
    } else if (value === 1) this.items = 1;
    else return;
    this.last = value;
    this.place = at;
    this.calculates = false;
  }
}

/** Items between commas (`a, b, c, ...`) for as long as no sentence ends; bare numbers do not count. */
export class CommaCount {
  items = 0;

  /** Takes the separator that stands at `at`: an item ends before it if there is a letter in its last characters. */
  separator(text: string, at: number): void {
    for (let place = at - 1; place >= 0 && at - place < 16; place -= 1) {
      const unit = text.charCodeAt(place);
      if (unit === 44 || unit === 59) return;
      if (isLetter(unit)) {
        this.items += 1;
        return;
      }
    }
  }

  /** Takes a mark that ends a sentence if white space follows. */
  end(mark: number, after: number): void {
    if (mark > 127 || !(after > 32)) this.items = 0;
  }
}

/** A letter, or anything beyond ASCII that is no mark of Chinese or Japanese. */
function isLetter(unit: number): boolean {
  if (unit < 128) return (unit | 32) >= 97 && (unit | 32) <= 122;
  return unit < 0x2000 || (unit > 0x3020 && unit < 0xff00);
}

/** `.`, `)`, `:` */
function isMark(unit: number): boolean {
  return unit === 46 || unit === 41 || unit === 58;
}
