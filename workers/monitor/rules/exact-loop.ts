import { CycleFinder, fold } from './cycle-finder.ts';
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
 * (0 to 2,284) after the loop began; without blank lines 1,078 (0 to 2,339). No alarm on 163 healthy traces under six transformations
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
  /** Characters since the last letter, white space aside. */
  private sinceLetter = Number.MAX_SAFE_INTEGER;

  inspect({ text }: StepReading): Finding | undefined {
    const loop = this.findLoop(text);
    this.sinceLetter = sinceLetterAt(text, this.sinceLetter);
    return loop === undefined ? undefined : describe(text, loop);
  }

  /** The first loop that stands in the step; all of it is read, whatever is found. */
  private findLoop(text: string): Loop | undefined {
    let [next, seen, sinceLetter] = [0, 0, this.sinceLetter];
    let loop: Loop | undefined;
    while (next < text.length) {
      next = this.finder.read(text, next, loop === undefined ? MIN_MATCHED : Infinity);
      if (loop !== undefined || this.finder.matched < MIN_MATCHED) continue;
      for (; seen < next; seen += 1) sinceLetter = sinceLetterAfter(text.charCodeAt(seen), sinceLetter);
      const { period, matched } = this.finder;
      if (matched < 2 * period) continue;
      if (sinceLetter < period || matched >= MIN_MATCHED_WITHOUT_LETTERS)
        loop = { end: next, period, matched };
    }
    return loop;
  }
}

interface Loop {
  /** Where in the step it was found. */
  readonly end: number;
  readonly period: number;
  readonly matched: number;
}

function describe(text: string, { end, period, matched }: Loop): Finding {
  const copies = Math.floor(matched / period) + 1;
  return {
    errorType: '3a',
    confidence: 0.99,
    quote: quoteOf(text, Math.max(0, end - Math.min(200, period)), end),
    explanation: `The last ${matched + period} characters are ${copies} copies of the same ${period} characters.`,
  };
}

/** The count at the end of a step that began with `before`. */
function sinceLetterAt(text: string, before: number): number {
  let since = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const character = fold(text.charCodeAt(at));
    if (isLetterLike(character)) return since;
    if (character !== 0) since += 1;
  }
  return before + since;
}

function sinceLetterAfter(unit: number, before: number): number {
  const character = fold(unit);
  return isLetterLike(character) ? 0 : before + Math.min(1, character);
}

function isLetterLike(character: number): boolean {
  return (
    (character >= 97 && character <= 122) ||
    (character >= 0xc0 && character < 0x2000) ||
    (character >= 0x2e80 && character < 0xff00)
  );
}
