import type { Problem } from '../../../shared/schemas/problem.ts';
import { CommaCount, LineCount, OrdinalCount } from './list-counts.ts';
import { quoteOf } from './quote.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';

/**
 * A list that grows without end, each item new (3a Reasoning Loop): more items in a row than healthy chains list,
 * and than the problem asks for.
 *
 * Source: a reported shape (asked for more items of a list, thinking keeps adding items for ever). Nothing in it
 * repeats, so no other rule can see it; only its length tells.
 *
 * Parameters: `MOST_ITEMS` and `INLINE_FACTOR` below, twice the longest lists of healthy chains; what an item is stands
 * in `list-counts.ts`.
 *
 * Measured (`npx tsx scripts/bench/loops.ts`): 20 of 20 lists of the reported shape and of each of four other kinds, in
 * steps or as one; no alarm on 163 healthy traces under six transformations.
 */
export const growingListRule: Rule = {
  name: 'growing-list',
  codes: ['3a'],
  begin: (problem) => new GrowingListState(problem),
};

/** The longest list in the measured healthy traces has 27 items. */
const MOST_ITEMS = 60;
/** A sentence may hold more items than a list: the longest measured has 34. */
const INLINE_FACTOR = 2;

class GrowingListState implements RuleState {
  private readonly lines = new LineCount();
  private readonly ordinals = new OrdinalCount();
  private readonly commas = new CommaCount();
  private readonly allowed: number;
  private readonly allowedInline: number;

  constructor({ query }: Problem) {
    this.allowed = Math.max(MOST_ITEMS, ...askedCounts(query).map((count) => 2 * count));
    this.allowedInline = INLINE_FACTOR * (this.allowed + 1);
  }

  /** Only digits, marks and line ends mean something to the counts. */
  inspect(step: StepReading): Finding | undefined {
    const { text } = step;
    let finding: Finding | undefined;
    let lineStart = 0;
    for (const at of step.marks()) {
      const unit = text.charCodeAt(at);
      const kind = unit < 128 ? (kinds[unit] ?? 0) : kindBeyondAscii(unit);
      if (kind === DIGIT) this.ordinals.number(text, at);
      else if (kind === EQUALS) this.ordinals.equals();
      else if (kind === SEPARATOR) this.commas.separator(text, at);
      else if (kind === SENTENCE_END) this.commas.end(unit, text.charCodeAt(at + 1));
      else {
        this.lines.read(text, lineStart, at);
        lineStart = at + 1;
      }
      if (this.isTooLong()) finding ??= describe(text, at, this.longest());
    }
    this.lines.read(text, lineStart, text.length);
    if (this.isTooLong()) finding ??= describe(text, text.length, this.longest());
    this.ordinals.endStep(text.length);
    return finding;
  }

  private isTooLong(): boolean {
    const { allowed, allowedInline, lines, ordinals, commas } = this;
    return lines.items > allowed || ordinals.items > allowed || commas.items >= allowedInline;
  }

  private longest(): number {
    const inline = Math.floor(this.commas.items / INLINE_FACTOR);
    return Math.max(this.lines.items, this.ordinals.items, inline);
  }
}

const DIGIT = 1;
const EQUALS = 2;
const SEPARATOR = 3;
const SENTENCE_END = 4;
const NEW_LINE = 5;

const kinds = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (unit >= 48 && unit <= 57) return DIGIT;
  const place = '=,;.!?\n'.indexOf(String.fromCharCode(unit));
  return [EQUALS, SEPARATOR, SEPARATOR, SENTENCE_END, SENTENCE_END, SENTENCE_END, NEW_LINE][place] ?? 0;
});

/** `、`, `，`, `；`; `。`, `！`, `？`. */
function kindBeyondAscii(unit: number): number {
  return unit === 0x3001 || unit === 0xff0c || unit === 0xff1b ? SEPARATOR : SENTENCE_END;
}

function describe(text: string, at: number, items: number): Finding {
  return {
    errorType: '3a',
    confidence: 0.8,
    quote: quoteOf(text, at - 120, at),
    explanation: `The list has reached ${items} items and is still growing.`,
  };
}

/** Whole numbers in the problem that may say how many items are wanted. */
function askedCounts(query: string): number[] {
  return (query.slice(0, 20_000).match(/\b\d{2,4}\b/g) ?? []).slice(0, 50).map(Number);
}
