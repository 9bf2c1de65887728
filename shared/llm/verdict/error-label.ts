import { errorCodes, errorNames, type VerdictType, verdictTypes } from '../../core/taxonomy.ts';

const leadingCode = /^[^\p{L}\p{N}]*([1-3][abc])/iu;
const namesOfNone = new Set(['', 'noerror', 'none', 'na', 'null', 'correct']);
const codeByName = new Map(errorCodes.map((code) => [plain(errorNames[code]), code]));

/** A label or a key without what writers vary: case, spaces, punctuation. */
export function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** The type that a reply's label means (test/cases/README.md, 2.3); anything unreadable is `UNKNOWN`. */
export function parseErrorLabel(label: unknown): VerdictType {
  if (label === null) return 'NO_ERROR';
  if (typeof label !== 'string') return 'UNKNOWN';
  const code = leadingCode.exec(label)?.[1]?.toLowerCase();
  const known = errorCodes.find((candidate) => candidate === code);
  if (known !== undefined) return known;
  const name = plain(label);
  return codeByName.get(name) ?? (namesOfNone.has(name) ? 'NO_ERROR' : 'UNKNOWN');
}

export function isCanonicalLabel(label: unknown): boolean {
  return verdictTypes.some((type) => type === label);
}
