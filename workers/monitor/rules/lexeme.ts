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

/**
 * All lexemes but numbers have the same fields, unused ones too: objects of one shape are read several times faster
 * than ones of five.
 */
interface Plain extends Placed {
  readonly text: string;
  readonly operator: Operator | undefined;
  readonly relation: Relation | undefined;
}

/** `other` is a relation that states no value: `<`, `≠`. */
export type Relation = '=' | '~' | 'other';

export interface WordLexeme extends Plain {
  readonly type: 'word';
  /** Lower case. */
  readonly text: string;
}

/** See `Lexeme`. */
export type MarkType = 'open' | 'close' | 'fraction' | 'root' | 'factorial' | 'break' | 'opaque';

/**
 * What the reader of arithmetic sees of a text. `break` separates statements (comma, full stop, line end);
 * `opaque` is something that takes part in an expression but has no value here (a variable, an ellipsis, `\pi`).
 */
export type Lexeme =
  | NumberLexeme
  | WordLexeme
  | (Plain & { readonly type: 'operator'; readonly operator: Operator })
  | (Plain & { readonly type: 'relation'; readonly relation: Relation })
  | (Plain & { readonly type: MarkType });
