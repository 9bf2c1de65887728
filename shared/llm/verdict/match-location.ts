import type { LocationMatch } from './verdict-reply.ts';

const escapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
const ELLIPSIS = /\.\.\.|…/;
const MIN_PREFIX = 12;

/**
 * Where a quote stands (test/cases/README.md, 2.3, "Location"). `location` differs from the quote only where LaTeX
 * such as `\frac` had been read as a JSON escape and turning that back makes it verbatim.
 */
export function matchLocation(
  quote: string,
  step: string,
  previousSteps: readonly string[],
): { readonly match: LocationMatch; readonly location: string } {
  if (quote.trim() === '') return { match: 'empty', location: quote };
  if (step.includes(quote)) return { match: 'exact', location: quote };
  const unescaped = quote.replace(/[\b\f\n\r\t](?=[A-Za-z])/g, (control) => escapes[control] ?? control);
  if (unescaped !== quote && step.includes(unescaped)) return { match: 'exact', location: unescaped };
  return { match: matchFolded(quote, step, previousSteps), location: quote };
}

function matchFolded(quote: string, step: string, previousSteps: readonly string[]): LocationMatch {
  const folded = foldQuote(quote);
  const foldedStep = fold(step);
  if (folded !== '' && foldedStep.includes(folded)) return 'normalized';
  const cut = ELLIPSIS.exec(quote)?.index ?? 0;
  const prefix = foldQuote(quote.slice(0, cut));
  if (prefix.length >= MIN_PREFIX && foldedStep.includes(prefix)) return 'prefix';
  if (folded === '') return 'none';
  return previousSteps.some((previous) => fold(previous).includes(folded)) ? 'previous_step' : 'none';
}

/** What typography varies, made equal. */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[‘’‚‛′‵]/g, "'")
    .replace(/[“”„‟″‶]/g, '"')
    .replace(/[\p{Pd}\u2212\u00AD\u2043]/gu, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** A quote folded, without the quotation marks and dots around it. */
function foldQuote(quote: string): string {
  const text = fold(quote);
  let [start, end] = [0, text.length];
  for (;;) {
    const [front, back] = [frameAt(text, start, 1), frameAt(text, end, -1)];
    if (front + back === 0 || start >= end) return text.slice(start, Math.max(start, end));
    start += front;
    end -= back;
  }
}

/** Length of the quotation mark, blank or `...` at one end; 0 without any. */
function frameAt(text: string, edge: number, direction: 1 | -1): number {
  const unit = direction === 1 ? text.charAt(edge) : text.charAt(edge - 1);
  if (unit !== '' && `"' `.includes(unit)) return 1;
  const dots = direction === 1 ? text.slice(edge, edge + 3) : text.slice(Math.max(0, edge - 3), edge);
  return dots === '...' ? 3 : 0;
}
