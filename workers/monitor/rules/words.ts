/**
 * Hashes of the words of a text, in order: runs of letters and digits in lower case. In scripts that put no space
 * between words a run is cut by what stands there, every nine characters or so, so that copies are cut alike. Words
 * with a letter have odd hashes, numerals even ones. Linear; empty for a text without words.
 */
export function wordHashes(text: string): number[] {
  const hashes: number[] = [];
  let hash = 0;
  let hasLetter = false;
  let pieceUnits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const folded = unit < 128 ? (asciiWords[unit] ?? 0) : isWordUnit(unit) ? unit : 0;
    if (folded !== 0) {
      hash = mix(hash === 0 ? SEED : hash, folded);
      hasLetter ||= unit > 57;
      if (unit < 128 || !isUnspaced(unit)) continue;
      pieceUnits += 1;
      if (pieceUnits < SHORTEST_PIECE || Math.imul(unit, PIECE_MIXER) >>> PIECE_SHIFT !== 0) continue;
    }
    if (hash !== 0) hashes.push(hasLetter ? hash | 1 : hash & ~1);
    hash = 0;
    hasLetter = false;
    pieceUnits = 0;
  }
  if (hash !== 0) hashes.push(hasLetter ? hash | 1 : hash & ~1);
  return hashes;
}

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

/** Thai, Lao, Khmer, Japanese, Chinese. */
function isUnspaced(unit: number): boolean {
  return (
    (unit >= 0x0e00 && unit <= 0x0eff) ||
    (unit >= 0x1780 && unit <= 0x17ff) ||
    (unit >= 0x3040 && unit <= 0x9fff)
  );
}
