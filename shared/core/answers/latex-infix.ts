/** Longer or deeper formulas are not read: answers are short. */
const MAX_LENGTH = 300;
const MAX_DEPTH = 20;

/** LaTeX's names of functions, by their names in the infix form. */
const functions: Readonly<Record<string, string>> = {
  sin: 'sin',
  cos: 'cos',
  tan: 'tan',
  csc: 'csc',
  sec: 'sec',
  cot: 'cot',
  arcsin: 'asin',
  arccos: 'acos',
  arctan: 'atan',
  sinh: 'sinh',
  cosh: 'cosh',
  tanh: 'tanh',
  ln: 'log',
  log: 'log10',
  exp: 'exp',
};

/** Spaces are gone: "\\cscx" is a function of x. The longest name counts. */
const command = new RegExp(`frac|sqrt|pi|div|${Object.keys(functions).sort().reverse().join('|')}`, 'y');

class Unreadable extends Error {}

/** Reads a formula from left to right, each character once. */
class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** All up to `close`, which is passed over; to the end where it is undefined. */
  run(close?: string): string {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new Unreadable();
    let out = '';
    while (this.#at < this.#text.length && this.#text[this.#at] !== close) {
      const piece = this.#piece();
      // Written out, a product side by side binds no tighter than a quotient: 3/2π is (3/2)π.
      out += out.endsWith(')') && !/^[-+*/^]/.test(piece) ? `*${piece}` : piece;
    }
    if (close !== undefined && this.#text[this.#at] !== close) throw new Unreadable();
    this.#at += 1;
    this.#depth -= 1;
    return out;
  }

  #piece(): string {
    const number = this.#take(/\d+(?:\.\d+)?|\.\d+/y);
    if (number !== '') {
      // "3\frac{1}{2}" may be a product or a mixed number.
      if (/^\\frac(?:\d\d|\{\d+\}\{\d+\})/.test(this.#text.slice(this.#at, this.#at + 40)))
        throw new Unreadable();
      return `(${number})`;
    }
    const character = this.#text[this.#at] ?? '';
    this.#at += 1;
    if (/[a-zA-Z]/.test(character)) return `(${character})`;
    if ('+-*/'.includes(character)) return character;
    if (character === '(') return `(${this.run(')')})`;
    if (character === '{') return `(${this.run('}')})`;
    if (character === '^') return `^${this.#argument()}`;
    if (character === '√') return `(${this.#argument()}^(1/2))`;
    if (character === 'π') return '(pi)';
    if (character === '\\') return this.#command();
    throw new Unreadable();
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  /** A group in braces or brackets, a number, or one character. */
  #argument(): string {
    if (this.#at >= this.#text.length) throw new Unreadable();
    const sign = this.#take(/-/y);
    return `(${sign}${this.#piece()})`;
  }

  #command(): string {
    const name = this.#take(command);
    if (name === 'frac') return `((${this.#argument()})/(${this.#argument()}))`;
    if (name === 'sqrt') {
      const root = this.#take(/\[\d{1,2}\]/y).slice(1, -1) || '2';
      return `((${this.#argument()})^(1/${root}))`;
    }
    if (name === 'pi') return '(pi)';
    if (name === 'div') return '/';
    const called = functions[name];
    if (called === undefined) throw new Unreadable();
    const power = this.#text[this.#at] === '^' ? this.#piece() : '';
    const factors = this.#take(/\d*[a-zA-Z]?/y);
    const argument = factors === '' ? this.#argument() : new Reader(factors).run();
    return `((${called}(${argument}))${power})`;
  }
}

/**
 * A formula of LaTeX in the form that calculators read: sums, products, quotients, powers, roots, common functions.
 * Letters are variables of one letter each; what stands side by side is a product. In time linear in its length.
 *
 * @param formula - without spaces, in one spelling (`\frac`, `*`)
 * @returns undefined for everything else: lists, units, words, more than 300 characters, brackets deeper than 20
 */
export function latexToInfix(formula: string): string | undefined {
  if (formula.length > MAX_LENGTH || formula === '') return undefined;
  try {
    return new Reader(formula).run();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
