import type { Operator } from './lexeme.ts';

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

export function isLetter(unit: number): boolean {
  const lower = unit | 32;
  if (unit < 128) return lower >= 97 && lower <= 122;
  return unit >= 0xc0 && unit <= 0x24f && unit !== 0xd7 && unit !== 0xf7;
}

export function isBlank(unit: number): boolean {
  return unit === 32 || unit === 9 || unit === 0xa0 || unit === 0x2009 || unit === 0x202f;
}

/** What a character means that is no blank, letter, digit or backslash. */
export type MarkKind =
  | Operator
  | 'line end'
  | 'relation'
  | 'open'
  | 'close'
  | 'currency'
  | 'alignment'
  | 'vulgar fraction'
  | 'silent'
  | 'superscript'
  | 'break'
  | 'unknown';

const marks = new Map<string, MarkKind>();
for (const [kind, characters] of [
  ['+', '+'],
  ['-', '-−'],
  ['*', '*×·⋅∙'],
  ['/', '/÷'],
  ['^', '^'],
  ['line end', '\n\r'],
  ['relation', '=<>!≈≠'],
  ['open', '([{'],
  ['close', ')]}'],
  ['currency', '$€£¥'],
  ['alignment', '&'],
  ['vulgar fraction', '½¼¾'],
  ['silent', '%°'],
  ['superscript', '⁰¹²³⁴⁵⁶⁷⁸⁹'],
  ['break', ',.;:?"“”`|'],
] as const)
  for (const character of characters) marks.set(character, kind);

const asciiMarks = Array.from(
  { length: 128 },
  (_, unit): MarkKind => marks.get(String.fromCharCode(unit)) ?? 'unknown',
);

export function markKind(unit: number): MarkKind {
  return (unit < 128 ? asciiMarks[unit] : marks.get(String.fromCharCode(unit))) ?? 'unknown';
}

export const commandOperators: Readonly<Record<string, Operator>> = {
  times: '*',
  cdot: '*',
  div: '/',
  ast: '*',
};
export const wordCommands = new Set([
  'text',
  'mathrm',
  'textbf',
  'mbox',
  'textrm',
  'mathbf',
  'textit',
  'operatorname',
]);
export const silentCommands = new Set([
  'left',
  'right',
  'quad',
  'qquad',
  'displaystyle',
  'big',
  'Big',
  'bigg',
  'Bigg',
  'bigl',
  'bigr',
]);
export const breakCommands = new Set([
  'implies',
  'Rightarrow',
  'rightarrow',
  'to',
  'begin',
  'end',
  'hline',
  'therefore',
  'Longrightarrow',
  'newline',
]);
export const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** Letters that may stand glued to a number and are a unit there, not a variable. */
export const gluedUnits = new Set([
  'km',
  'cm',
  'mm',
  'kg',
  'mg',
  'lb',
  'lbs',
  'oz',
  'hr',
  'hrs',
  'min',
  'mins',
  'sec',
  'ml',
  'mph',
  'ft',
  'gb',
  'mb',
  'kb',
  'kmh',
  'kph',
  'cents',
  'cent',
  'hours',
  'minutes',
  'days',
]);
const shortWords = new Set(
  'a an am as at be by do go he if in is it me my no of on or so to up us we pm km cm mm kg mg lb oz hr ft ml gb mb kb tv'.split(
    ' ',
  ),
);

/** A word of one or two letters; any other such is taken for a variable, or a product of two. */
export function isShortWord(text: string): boolean {
  return shortWords.has(text);
}
export const gluedMarks = '$€£¥';

export function isNumeral(unit: number): boolean {
  return isDigit(unit) || (unit >= 0xbc && unit <= 0xbe);
}
