/** What a piece of text can stand inside of, so that a blank line there ends nothing. */
type Formula =
  | { readonly type: 'none' }
  | { readonly type: 'dollars' }
  | { readonly type: 'brackets' }
  | { readonly type: 'environment'; readonly depth: number };

interface FenceMark {
  readonly mark: string;
  readonly length: number;
}

/** A line as far as it can be a fence: white space, then a run of one mark, then anything else. */
interface Line {
  mark: string;
  length: number;
  hasRunEnded: boolean;
  hasText: boolean;
  hasBacktickInText: boolean;
}

const noFormula: Formula = { type: 'none' };

/**
 * Follows Markdown code fences (``` and ~~~) and display formulas ($$…$$, \[…\], \begin{…}…\end{…}) through a text,
 * one UTF-16 unit at a time, at constant cost a unit.
 *
 * States: outside; inside a fence (formula marks mean nothing there; left by a line of at least as many of the same
 * mark); inside a formula (left by its own closing mark, and by a fence: no formula holds one). A fence counts from the
 * end of its line, because "```x``` and" is inline code.
 */
export class Enclosure {
  #fence: FenceMark | undefined;
  #formula: Formula = noFormula;
  #line: Line = newLine();
  /** Letters after a backslash, or undefined when no command is open; `''` straight after the backslash. */
  #command: string | undefined;
  #sawDollar = false;

  get isOpen(): boolean {
    return this.#fence !== undefined || this.#formula.type !== 'none';
  }

  accept(unit: string): void {
    if (unit === '\n') {
      this.#endLine();
    } else {
      this.#extendLine(unit);
    }
    if (this.#fence === undefined) this.#acceptFormulaMark(unit);
  }

  /**
   * Counts an open formula as never opened. `$$` opens and closes alike, so one stray mark would turn all later ones
   * inside out; fences tell their ends apart and stay.
   */
  abandonFormula(): void {
    this.#formula = noFormula;
  }

  #extendLine(unit: string): void {
    const line = this.#line;
    if (isMark(unit) && !line.hasRunEnded && (line.length === 0 || line.mark === unit)) {
      line.mark = unit;
      line.length += 1;
      return;
    }
    if (isBlank(unit)) {
      line.hasRunEnded ||= line.length > 0;
      return;
    }
    line.hasRunEnded = true;
    line.hasText = true;
    line.hasBacktickInText ||= unit === '`';
  }

  #endLine(): void {
    const { mark, length, hasText, hasBacktickInText } = this.#line;
    this.#line = newLine();
    if (length < 3) return;
    if (this.#fence === undefined) {
      if (mark === '`' && hasBacktickInText) return;
      this.#fence = { mark, length };
      this.#formula = noFormula;
    } else if (mark === this.#fence.mark && length >= this.#fence.length && !hasText) {
      this.#fence = undefined;
    }
  }

  #acceptFormulaMark(unit: string): void {
    const command = this.#command;
    this.#command = undefined;
    const sawDollar = this.#sawDollar;
    this.#sawDollar = false;
    if (command === undefined) {
      if (unit === '\\') this.#command = '';
      else if (unit === '$' && sawDollar) this.#toggle('dollars');
      else this.#sawDollar = unit === '$';
    } else if (command === '' && !isLetter(unit)) {
      // `\\[4pt]` is a line break and `\$` a dollar sign: what a backslash escapes opens nothing.
      if (unit === '[') this.#open('brackets');
      else if (unit === ']') this.#close('brackets');
    } else if (isLetter(unit)) {
      // Six letters are enough to know that it is neither `begin` nor `end`.
      this.#command = command.length < 6 ? command + unit : command;
    } else if (unit === '{') {
      this.#enterOrLeave(command);
    } else if (unit === '\\') {
      this.#command = '';
    } else {
      this.#sawDollar = unit === '$';
    }
  }

  #toggle(type: 'dollars'): void {
    if (this.#formula.type === type) this.#formula = noFormula;
    else this.#open(type);
  }

  #open(type: 'dollars' | 'brackets'): void {
    if (this.#formula.type === 'none') this.#formula = { type };
  }

  #close(type: 'brackets'): void {
    if (this.#formula.type === type) this.#formula = noFormula;
  }

  #enterOrLeave(command: string): void {
    const change = command === 'begin' ? 1 : command === 'end' ? -1 : 0;
    const { type } = this.#formula;
    if (change === 0 || type === 'dollars' || type === 'brackets') return;
    const depth = (this.#formula.type === 'environment' ? this.#formula.depth : 0) + change;
    this.#formula = depth > 0 ? { type: 'environment', depth } : noFormula;
  }
}

function newLine(): Line {
  return { mark: '', length: 0, hasRunEnded: false, hasText: false, hasBacktickInText: false };
}

function isMark(unit: string): boolean {
  return unit === '`' || unit === '~';
}

function isBlank(unit: string): boolean {
  return unit === ' ' || unit === '\t' || unit === '\r';
}

function isLetter(unit: string): boolean {
  return (unit >= 'a' && unit <= 'z') || (unit >= 'A' && unit <= 'Z');
}
