import { isJsonObject, type JsonObject } from '../json-value.ts';
import { plain } from './error-label.ts';

const FLAG = 'errordetected';
/** Names in text that is not JSON (yet); no unbounded repeat of what can also be anything else. */
const flagInText = /error[^\p{L}\p{N}]{0,8}detected[^\p{L}\p{N}:]{0,8}:/iu;
/** A string that is never closed goes to the end, so that no later quote in it is tried again. */
const keyInJson = /"([^"\\]*(?:\\.[^"\\]*)*)(?:"(\s*:)?|\\?$)/gs;

export function isFlagKey(key: string): boolean {
  return plain(key) === FLAG;
}

/** Where a text that is no JSON first names the flag as a key; -1 when it does not. */
export function findFlagName(text: string): number {
  return text.search(flagInText);
}

export function hasFlag(object: JsonObject): boolean {
  return Object.keys(object).some(isFlagKey);
}

/**
 * A JSON text in which each flag key has a spelling of its own: `JSON.parse` keeps only the last of equal keys, and
 * two flags that differ must be seen.
 */
export function spreadFlagKeys(json: string): string {
  let seen = 0;
  return json.replace(keyInJson, (whole, key: string, colon: string | undefined) => {
    if (colon === undefined || !isFlagKey(key)) return whole;
    const mark = seen.toString(2).replaceAll('0', '-').replaceAll('1', '_');
    seen += 1;
    return seen === 1 ? whole : `"${key}${mark}"${colon}`;
  });
}

/** The objects anywhere in a value that hold the flag key, outermost first; at most `limit`. */
export function objectsWithFlag(value: unknown, limit: number): JsonObject[] {
  const found: JsonObject[] = [];
  const waiting: unknown[] = [value];
  for (let at = 0; at < waiting.length && found.length < limit; at += 1) {
    const current = waiting[at];
    if (isJsonObject(current)) {
      if (hasFlag(current)) found.push(current);
      for (const member of Object.values(current)) waiting.push(member);
    } else if (Array.isArray(current)) {
      for (const member of current) waiting.push(member);
    }
  }
  return found;
}
