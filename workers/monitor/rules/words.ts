/** What one pass over a text tells of it; both lists are in order, and empty for a text without any. */
export interface TextScan {
  /** See `wordHashes`. */
  readonly words: readonly number[];
  /** Where the first digit of each run of digits stands, and each mark of `isMark`. */
  readonly marks: readonly number[];
}

/**
 * Hashes of the words of a text, in order: runs of letters and digits in lower case. In scripts that put no space
 * between words a run is cut by what stands there, every nine characters or so, so that copies are cut alike. Words
 * with a letter have odd hashes, numerals even ones. Linear; empty for a text without words.
 */
export function wordHashes(text: string): readonly number[] {
  return scanText(text).words;
}

export function scanText(text: string): TextScan {
  const words: number[] = [];
  const marks: number[] = [];
  const { length } = text;
  let at = 0;
  while (at < length) {
    let unit = text.charCodeAt(at);
    let folded = foldWordUnit(unit);
    if (folded === 0) {
      if (unit !== SPACE && isMark(unit)) marks.push(at);
      at += 1;
      continue;
    }
    let hash = SEED;
    let bits = 0;
    let before = 0;
    let pieceUnits = 0;
    // One word, or one piece of a run.
    while (folded !== 0) {
      hash = mix(hash, folded);
      bits |= folded;
      if (folded <= NINE && (before > NINE || before === 0)) marks.push(at);
      before = folded;
      at += 1;
      if (folded >= UNSPACED_FROM && isUnspaced(folded)) {
        pieceUnits += 1;
        if (pieceUnits >= SHORTEST_PIECE && Math.imul(folded, PIECE_MIXER) >>> PIECE_SHIFT === 0) break;
      }
      if (at === length) break;
      unit = text.charCodeAt(at);
      folded = foldWordUnit(unit);
    }
    // Digits have none of these bits, letters at least one.
    words.push((bits & ~0x3f) !== 0 ? hash | 1 : hash & ~1);
  }
  return { words, marks };
}

const SPACE = 32;
const NINE = 57;

/** What a character adds to a word, ASCII letters in lower case; 0 for what is no part of a word. */
function foldWordUnit(unit: number): number {
  return unit < 128 ? (asciiWords[unit] ?? 0) : isWordUnit(unit) ? unit : 0;
}

/** Marks that end a line, a sentence or an item, or equate: `\n = , ; . ! ?` and those of Chinese and Japanese. */
function isMark(unit: number): boolean {
  if (unit < 128) return asciiMarks[unit] === 1;
  return (
    (unit >= 0x3001 && unit <= 0x3002) ||
    unit === 0xff0c ||
    unit === 0xff1b ||
    unit === 0xff01 ||
    unit === 0xff1f
  );
}

const asciiMarks = Uint8Array.from({ length: 128 }, (_, unit) =>
  '\n=,;.!?'.includes(String.fromCharCode(unit)) ? 1 : 0,
);

/**
 * A piece of a run ends at one character in four, but has six at least: shorter ones come back so often in a healthy
 * chain that they would look like a loop.
 */
const SHORTEST_PIECE = 6;
const PIECE_MIXER = 0x9e3779b1 | 0;
const PIECE_SHIFT = 30;

/** ASCII letters in lower case and digits; 0 for what is no part of a word. */
const asciiWords = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (unit >= 65 && unit <= 90) return unit + 32;
  return (unit >= 48 && unit <= 57) || (unit >= 97 && unit <= 122) ? unit : 0;
});

const SEED = 0x811c9dc5 | 0;

/** Whether the hash is of a run of digits. */
export function isNumeral(wordHash: number): boolean {
  return (wordHash & 1) === 0;
}

export function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193) || 1;
}

/** Letters and digits beyond ASCII. */
function isWordUnit(unit: number): boolean {
  if (unit < 0xc0 || unit === 0xd7 || unit === 0xf7) return false;
  return unit < 0x2000 || (unit >= 0x2e80 && unit < 0x3000) || unit >= 0x3040;
}

const UNSPACED_FROM = 0x0e00;

/** Thai, Lao, Khmer, Japanese, Chinese. */
function isUnspaced(unit: number): boolean {
  return (
    (unit >= 0x0e00 && unit <= 0x0eff) ||
    (unit >= 0x1780 && unit <= 0x17ff) ||
    (unit >= 0x3040 && unit <= 0x9fff)
  );
}
