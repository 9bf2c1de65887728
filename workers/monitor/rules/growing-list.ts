import type { Problem } from '../../../shared/schemas/problem.ts';
import { quoteOf } from './quote.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';

/**
 * A list that grows without end, each item new (3a Reasoning Loop): more items in a row than healthy chains list,
 * and than the problem asks for.
 *
 * Measured (`npx tsx scripts/bench/rules.ts`): 20 of 20 built lists, none by another rule; no alarm on healthy traces.
 */
export const growingListRule: Rule = {
  name: 'growing-list',
  codes: ['3a'],
  begin: (problem) => new GrowingListState(problem),
};

/** The longest list in the measured healthy traces has 27 items. */
const MOST_ITEMS = 60;
const MAX_GAP_LINES = 1;
/** Numbers of items may fall between two steps. */
const MAX_SKIPPED = 2;
/** A sentence may hold more items than a list: the longest measured has 34. */
const INLINE_FACTOR = 2;
const item =
  /^\s{0,8}(?:[-*•+–]|\(?\d{1,6}[.):、]|[a-zA-Z][.)]|(?:step|item|option|idea|reason)\s+\d{1,6}\b)\s?/iu;
/** `17.`, `17)`, `17:` before a word, wherever it stands: an item of a list that lost its line breaks. */
const ordinal = /(?<![\d.])(\d{1,5})[.):](?:\s|$)/g;
const digitsOnly = /^[\s\d.,;:|()[\]{}&\\+*/=-]*$/;

class GrowingListState implements RuleState {
  private items = 0;
  private ordinals = 0;
  private gap = 0;
  private readonly inline = new InlineList();
  private readonly allowed: number;

  constructor({ query }: Problem) {
    this.allowed = Math.max(MOST_ITEMS, ...askedCounts(query).map((count) => 2 * count));
  }

  inspect(step: StepReading): Finding | undefined {
    for (const { 0: mark, 1: digits, index } of step.text.matchAll(ordinal)) {
      this.countOrdinal(Number(digits));
      if (this.ordinals > this.allowed) return describe(step.text, index, mark.length + 80, this.ordinals);
    }
    let from = 0;
    for (const line of step.text.split('\n')) {
      this.countLine(line);
      const longest = Math.max(this.items, this.inline.read(line) / INLINE_FACTOR);
      if (longest > this.allowed) return describe(step.text, from, line.length, Math.floor(longest));
      from += line.length + 1;
    }
    return undefined;
  }

  /** Items numbered one by one; other numbers in between do not end the count, a new start does. */
  private countOrdinal(value: number): void {
    if (value > this.ordinals && value <= this.ordinals + MAX_SKIPPED) this.ordinals = value;
    else if (value === 1) this.ordinals = 1;
  }

  private countLine(line: string): void {
    if (line.trim() === '') return;
    if (item.test(line.slice(0, 40)) && !(line.length > 8 && digitsOnly.test(line.slice(0, 200)))) {
      this.items += 1;
      this.gap = 0;
    } else if (++this.gap > MAX_GAP_LINES) this.items = 0;
  }
}

const separators = [',', '、', '，', ';'] as const;
const ends = ['. ', '! ', '? ', '。'] as const;

/** Counts items between commas (`a, b, c, ...`) for as long as no sentence ends; bare numbers do not count. */
class InlineList {
  private items = 0;

  /** @returns the items that the list has reached at the end of the line; 0 for a list of bare numbers */
  read(line: string): number {
    let end = Math.max(...ends.map((mark) => line.lastIndexOf(mark)));
    if (/[.!?]$/.test(line.slice(-1))) end = line.length;
    if (end !== -1) this.items = 0;
    for (const separator of separators) this.items += countOf(line, separator, end + 1);
    return digitsOnly.test(line.slice(-200)) ? 0 : this.items;
  }
}

function countOf(line: string, mark: string, from: number): number {
  let count = 0;
  for (let at = line.indexOf(mark, from); at !== -1; at = line.indexOf(mark, at + 1)) count += 1;
  return count;
}

function describe(text: string, from: number, length: number, items: number): Finding {
  return {
    errorType: '3a',
    confidence: 0.8,
    quote: quoteOf(text, from, from + length),
    explanation: `The list has reached ${items} items and is still growing.`,
  };
}

/** Whole numbers in the problem that may say how many items are wanted. */
function askedCounts(query: string): number[] {
  return (query.slice(0, 20_000).match(/\b\d{2,4}\b/g) ?? []).slice(0, 50).map(Number);
}
