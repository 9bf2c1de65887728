/**
 * The simulator's tokens: word-like pieces, one delta each. A piece is a word with the space before it (at most 12
 * letters of it), up to three digits, a run of line ends, a run of other white space, or a single sign.
 */
const piece = / ?\p{L}{1,12}|\d{1,3}|\n+|[^\S\n]+|[^\p{L}\s]/gu;

/**
 * Cuts a text into tokens, in one pass.
 *
 * @returns pieces whose concatenation is the text; none for an empty text
 */
export function cutTokens(text: string): string[] {
  return text.match(piece) ?? [];
}

export function countTokens(text: string): number {
  return cutTokens(text).length;
}
