import { jsonrepair } from 'jsonrepair';
import { notJson, parseJson } from '../json-value.ts';

/** Verdicts are a few hundred characters; jsonrepair is quadratic on hostile text (0.2 s at this size). */
const MAX_REPAIRED = 16_000;

/**
 * A JSON text for an object that is almost JSON. Use it on complete objects only: jsonrepair closes what was cut off
 * without telling. A backslash that starts no JSON escape is a backslash (LaTeX).
 *
 * @returns undefined when no repair helps
 */
export function repairJson(text: string): string | undefined {
  const escaped = escapeBackslashes(text);
  if (parseJson(escaped) !== notJson) return escaped;
  if (escaped.length > MAX_REPAIRED) return undefined;
  try {
    const repaired = jsonrepair(escaped);
    return parseJson(repaired) === notJson ? undefined : repaired;
  } catch {
    // What it throws on is text that it cannot repair, or too deep for its recursion.
    return undefined;
  }
}

/** In single-quoted text `\'` is the quote itself. */
export function escapeBackslashes(text: string): string {
  const isSingleQuoted = /^\{\s*'/.test(text);
  return text.replace(/\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|(')|)/g, (whole, legal: unknown, quote: unknown) =>
    legal !== undefined || (quote !== undefined && isSingleQuoted) ? whole : `\\${whole}`,
  );
}
