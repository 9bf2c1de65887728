import { CycleFinder } from './cycle-finder.ts';
import { quoteOf } from './quote.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';

/**
 * A text that repeats itself character for character, three copies or more (3a Reasoning Loop), wherever steps were cut:
 * inside one step, over 40 of them, without blank lines, with the last copy cut off, in any script.
 *
 * Source: DESIGN "Monitors" (exact, a cycle of several steps, a loop inside one long step); loops that users reported
 * (a word, a line, a block, marks alone).
 *
 * Parameters: `MIN_MATCHED` and `MIN_MATCHED_WITHOUT_LETTERS` below; periods of up to 65,535 characters
 * (`cycle-finder.ts`). White space and ASCII case say nothing.
 *
 * Measured (`npx tsx scripts/bench/segmentation.ts`): alone, 15 of 15 exact loops of the traces, a median of 926 tokens
 * (0 to 2,564) after the loop began; without blank lines too. No alarm on 163 healthy traces under six transformations
 * (`npx tsx scripts/bench/loops.ts`).
 */
export const exactLoopRule: Rule = {
  name: 'exact-loop',
  codes: ['3a'],
  begin: () => new ExactLoopState(),
};

/** Shorter repeats are refrains, not loops: "Wait. Wait. Wait." */
const MIN_MATCHED = 240;
/** Rows of zeros, rulers and padding repeat by nature: a cycle without a letter must go on far longer. */
const MIN_MATCHED_WITHOUT_LETTERS = 1500;

class ExactLoopState implements RuleState {
  private readonly finder = new CycleFinder();
  private folded = new Uint16Array(1024);
  private sinceLetter = Number.MAX_SAFE_INTEGER;

  inspect({ text }: StepReading): Finding | undefined {
    const length = this.fold(text);
    const loop = this.findLoop(length);
    let last = length - 1;
    while (last >= 0 && !isLetterLike(this.folded[last] ?? 0)) last -= 1;
    this.sinceLetter = last < 0 ? this.sinceLetter + length : length - 1 - last;
    return loop === undefined ? undefined : describe(text, loop);
  }

  /** The first loop that stands in the folded step; all of it is read, whatever is found. */
  private findLoop(length: number): Loop | undefined {
    let [next, seen, sinceLetter] = [0, 0, this.sinceLetter];
    let loop: Loop | undefined;
    while (next < length) {
      next = this.finder.read(this.folded, next, length, loop === undefined ? MIN_MATCHED : Infinity);
      if (loop !== undefined || this.finder.matched < MIN_MATCHED) continue;
      for (; seen < next; seen += 1) sinceLetter = isLetterLike(this.folded[seen] ?? 0) ? 0 : sinceLetter + 1;
      const { period, matched } = this.finder;
      if (matched < 2 * period) continue;
      if (sinceLetter < period || matched >= MIN_MATCHED_WITHOUT_LETTERS)
        loop = { at: next, period, matched };
    }
    return loop;
  }

  /** Writes the step to `folded`, without white space and in lower case; gives its length there. */
  private fold(text: string): number {
    if (this.folded.length < text.length) this.folded = new Uint16Array(text.length);
    const { folded } = this;
    let length = 0;
    for (let at = 0; at < text.length; at += 1) {
      const unit = fold(text.charCodeAt(at));
      folded[length] = unit;
      if (unit !== 0) length += 1;
    }
    return length;
  }
}

/** `at` counts the characters of the folded step up to the end of what was found. */
interface Loop {
  readonly at: number;
  readonly period: number;
  readonly matched: number;
}

function describe(text: string, { at, period, matched }: Loop): Finding {
  const copies = Math.floor(matched / period) + 1;
  const end = placeIn(text, at);
  return {
    errorType: '3a',
    confidence: 0.99,
    quote: quoteOf(text, Math.max(0, end - Math.min(200, period)), end),
    explanation: `The last ${matched + period} characters are ${copies} copies of the same ${period} characters.`,
  };
}

/** Where the first `count` characters that are no white space end. */
function placeIn(text: string, count: number): number {
  let [place, left] = [0, count];
  for (; left > 0 && place < text.length; place += 1) if (fold(text.charCodeAt(place)) !== 0) left -= 1;
  return place;
}

const folds = Uint8Array.from({ length: 128 }, (_, unit) =>
  unit >= 65 && unit <= 90 ? unit + 32 : unit <= 32 ? 0 : unit,
);

/** Lower case for ASCII; 0 for white space, which says nothing about a loop. */
function fold(unit: number): number {
  if (unit < 128) return folds[unit] ?? 0;
  return unit === 0xa0 || unit === 0x3000 || unit === 0x200b ? 0 : unit;
}

function isLetterLike(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 0xc0 && unit < 0x2000) || (unit >= 0x2e80 && unit < 0xff00);
}
