import { Enclosure } from './enclosure.ts';

/** A step is at most this long, in UTF-16 units. */
export const stepLimit = 1_024;
/** A shorter fragment, in UTF-16 units, is joined to what follows. */
export const shortestStep = 20;

const sentenceEnds = '.!?…';
/** These need no space behind them. */
const wideSentenceEnds = '。！？';
const closers = '"\')]}*_»”’」』）】';

/**
 * Cuts the text of one channel into steps, one UTF-16 unit at a time, so that the way in which a text was cut into
 * deltas cannot matter. DESIGN, "Steps", has the rules; a step's text is trimmed, and white space alone is no step.
 *
 * The open step (`#open`) always starts with text: white space before it is dropped. It closes at
 * - a line of white space only, outside fences and display formulas, once it holds 20 units;
 * - its 1,025th unit: then it is cut back to its last sentence or line end, else to its last white space, else at 1,024
 *   (one less where that would part a surrogate pair). Ends that would leave under 20 units before them don't count.
 *   What is behind the cut stays open;
 * - `end`, however short it is.
 */
export class StepCutter {
  #open = '';
  /** Length of the open step without white space at its end. */
  #textLength = 0;
  /** Lengths that the open step can be cut back to; 0 is none. */
  #sentenceEnd = 0;
  #wordEnd = 0;
  #isAfterSentence = false;
  #isAfterWideSentence = false;
  #isLineBlank = true;
  #enclosure = new Enclosure();
  #visited = 0;

  /** Units read so far, each time one is looked at or moved: at most four times those pushed. */
  get visited(): number {
    return this.#visited;
  }

  push(text: string): string[] {
    const steps: string[] = [];
    for (let place = 0; place < text.length; place += 1) {
      const step = this.#accept(text.charAt(place));
      if (step !== undefined) steps.push(step);
    }
    this.#visited += text.length;
    return steps;
  }

  /** The last step, if there is text in it; the cutter then stands as at its beginning. */
  end(): string[] {
    const last = this.#close();
    this.#enclosure = new Enclosure();
    this.#isLineBlank = true;
    return last === '' ? [] : [last];
  }

  #accept(unit: string): string | undefined {
    this.#enclosure.accept(unit);
    return isWhiteSpace(unit) ? this.#acceptSpace(unit) : this.#acceptText(unit);
  }

  #acceptSpace(unit: string): string | undefined {
    const endsBlankLine = unit === '\n' && this.#isLineBlank;
    if (unit === '\n') this.#isLineBlank = true;
    if (this.#textLength === 0) return undefined;
    if (endsBlankLine && this.#textLength >= shortestStep && !this.#enclosure.isOpen) return this.#close();
    this.#wordEnd = this.#textLength;
    if (this.#isAfterSentence || unit === '\n') this.#sentenceEnd = this.#textLength;
    const step = this.#cutAtLimit();
    if (this.#textLength > 0) this.#open += unit;
    return step;
  }

  #acceptText(unit: string): string | undefined {
    const step = this.#cutAtLimit();
    this.#isLineBlank = false;
    this.#open += unit;
    this.#textLength = this.#open.length;
    const isCloser = closers.includes(unit);
    this.#isAfterSentence = sentenceEnds.includes(unit) || (isCloser && this.#isAfterSentence);
    this.#isAfterWideSentence = wideSentenceEnds.includes(unit) || (isCloser && this.#isAfterWideSentence);
    if (this.#isAfterWideSentence) this.#sentenceEnd = this.#textLength;
    return step;
  }

  /** Makes room for one more unit. */
  #cutAtLimit(): string | undefined {
    if (this.#open.length < stepLimit) return undefined;
    this.#visited += this.#open.length;
    if (this.#textLength < shortestStep) {
      // A fragment and a desert of white space: still a fragment.
      this.#open = `${this.#open.slice(0, this.#textLength)} `;
      return undefined;
    }
    const cut = [this.#sentenceEnd, this.#wordEnd].find((end) => end >= shortestStep) ?? exactCut(this.#open);
    const step = this.#open.slice(0, cut);
    const rest = this.#open.slice(cut).trimStart();
    const moved = this.#open.length - rest.length;
    this.#open = rest;
    this.#textLength = Math.max(0, this.#textLength - moved);
    this.#sentenceEnd = Math.max(0, this.#sentenceEnd - moved);
    this.#wordEnd = Math.max(0, this.#wordEnd - moved);
    this.#enclosure.abandonFormula();
    return step;
  }

  #close(): string {
    this.#visited += this.#open.length;
    const step = this.#open.slice(0, this.#textLength);
    this.#open = '';
    this.#textLength = 0;
    this.#sentenceEnd = 0;
    this.#wordEnd = 0;
    this.#isAfterSentence = false;
    this.#isAfterWideSentence = false;
    return step;
  }
}

function exactCut(text: string): number {
  const last = text.charCodeAt(stepLimit - 1);
  return last >= 0xd800 && last <= 0xdbff ? stepLimit - 1 : stepLimit;
}

function isWhiteSpace(unit: string): boolean {
  return unit <= ' ' ? /\s/.test(unit) : unit >= '\u00a0' && /\s/.test(unit);
}
