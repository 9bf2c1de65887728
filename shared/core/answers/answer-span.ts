/**
 * An answer found in a text: its normalised value, and the half-open range of UTF-16 units [start, end) where it
 * stands.
 */
export interface AnswerSpan {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** One option of a multiple-choice question. */
export interface Choice {
  readonly label: string;
  readonly text: string;
}
