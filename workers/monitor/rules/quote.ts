const MAX_QUOTE_UNITS = 200;

/**
 * A verbatim piece of `text` from `start` to `end`, cut to 200 UTF-16 units without splitting a surrogate pair.
 * Bounds outside the text are clamped; an empty range gives the head of the text.
 */
export function quoteOf(text: string, start = 0, end = text.length): string {
  const from = Math.min(Math.max(0, start), text.length);
  const to = Math.min(Math.max(from, end), text.length);
  if (from === to) return text === '' ? '' : quoteOf(text, 0, text.length);
  let cut = Math.min(to, from + MAX_QUOTE_UNITS);
  if (cut < to && isHighSurrogate(text.charCodeAt(cut - 1))) cut -= 1;
  return text.slice(from, cut);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
