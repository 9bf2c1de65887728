export type Operator = '+' | '-' | '*' | '/' | '^';

interface Placed {
  /** Offsets in the step's text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** White space (or a line break) stands before it. */
  readonly spaced: boolean;
}

export interface NumberLexeme extends Placed {
  readonly type: 'number';
  /** Plain digits, a point at most: exact where `size` is the nearest double. At most 40. */
  readonly digits: string;
  readonly size: number;
  /** Digits written after the point. */
  readonly decimals: number;
  readonly percent: boolean;
  /** A currency sign stood before it. */
  readonly currency: boolean;
  /** Written with trailing dots (`0.333...`). */
  readonly openEnded: boolean;
}

export interface WordLexeme extends Placed {
  readonly type: 'word';
  /** Lower case. */
  readonly text: string;
}

/**
 * What the reader of arithmetic sees of a text. `break` separates statements (comma, full stop, line end);
 * `opaque` is something that takes part in an expression but has no value here (a variable, an ellipsis, `\pi`).
 */
export type Lexeme =
  | NumberLexeme
  | WordLexeme
  | (Placed & { readonly type: 'operator'; readonly operator: Operator })
  | (Placed & { readonly type: 'relation'; readonly relation: '=' | '~' | 'other' })
  | (Placed & { readonly type: 'open' | 'close' | 'fraction' | 'root' | 'factorial' | 'break' | 'opaque' });
