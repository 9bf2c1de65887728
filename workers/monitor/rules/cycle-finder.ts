/** A stretch of text that repeats what stands `period` characters before it. Lengths count folded characters. */
export interface Cycle {
  readonly period: number;
  /** Characters that equal those `period` before them, without a break. */
  readonly matched: number;
}

/** Fewer equal characters than this are a coincidence. */
const GRAM = 16;
const SMALLEST = 1 << 12;
/** Longest period found: 65,535 characters; more than 40 steps of 1,024 units. */
const LARGEST = 1 << 16;
/** Odd; its bits spread a character over the whole hash. */
const MIXER = 0x9e3779b1 | 0;
const MAX_BACKWARDS = 512;
const COPIES = 3;
/** One place in 32 is filed, chosen by what stands there, so that copies choose the same places. */
const SAMPLE_SHIFT = 27;
/** The bits of a hash below those that choose: they depend on at least 15 characters. */
const PLACE_SHIFT = 15;
const PLACES = 1 << (SAMPLE_SHIFT - PLACE_SHIFT);
/** Every so many characters a place is held whatever it holds: short cycles may have no place that is chosen. */
const ANCHOR_EVERY = 1 << 9;
/** The same for the shortest, which are to be found before they have gone on for long. */
const NEAR_ANCHOR_EVERY = 1 << 6;

/**
 * Finds the period of a stream of characters as it arrives, white space and ASCII case aside: constant work a character,
 * at most 144 KiB of state, and blind to where steps were cut, so a loop inside one step, over 40 steps or without blank
 * lines looks the same.
 *
 * States: searching (no period: the characters that end here are looked up among places filed before) and
 * following (a period is held for as long as each character equals the one a period before it).
 */
export class CycleFinder implements Cycle {
  period = 0;
  matched = 0;
  private ring = new Uint16Array(SMALLEST);
  private readonly lastPlace = new Int32Array(PLACES).fill(-1);
  private length = 0;
  private hash = 0;
  private anchor = -1;
  private anchorHash = 0;
  private nearAnchor = -1;
  private nearAnchorHash = 0;

  /**
   * Takes a text from `from` on, up to the first character after which three copies stand and at least `enough`
   * characters match; afterwards `period` and `matched` tell the cycle that the last one stands in (0 and 0: in none).
   *
   * @returns where it stopped: the end of the text, or one past that character
   */
  read(text: string, from: number, enough: number): number {
    const ring = this.ringFor(text.length - from);
    const mask = ring.length - 1;
    const { lastPlace } = this;
    const end = text.length;
    let { hash, length, period, matched } = this;
    let next = from;
    let isFound = false;
    // Fields are read once, and most characters take the shortest way: this loop sees every one of every chain.
    while (next < end && !isFound) {
      const unit = text.charCodeAt(next);
      next += 1;
      const character = unit < 128 ? (folds[unit] ?? 0) : foldBeyondAscii(unit);
      if (character === 0) continue;
      // Each shift halves the weight of what came before, so that 32 characters back nothing is left of it.
      hash = ((hash << 1) + Math.imul(character, MIXER)) | 0;
      ring[length & mask] = character;
      const isChosen = hash >>> SAMPLE_SHIFT === 0;
      if (period > 0 && ring[(length - period) & mask] === character) {
        matched += 1;
        isFound = matched >= enough && matched >= (COPIES - 1) * period;
      } else if (period > 0 || isChosen || hash === this.nearAnchorHash || hash === this.anchorHash) {
        period = this.periodAt(length, hash);
        matched = period === 0 ? 0 : this.sameBackwards(length, period);
        isFound = period > 0 && matched >= enough && matched >= (COPIES - 1) * period;
      }
      if (isChosen) lastPlace[hash >>> PLACE_SHIFT] = length;
      if ((length & (NEAR_ANCHOR_EVERY - 1)) === 0) this.holdAnchor(length, hash);
      length += 1;
    }
    this.hash = hash;
    this.length = length;
    this.period = period;
    this.matched = matched;
    return next;
  }

  private holdAnchor(at: number, hash: number): void {
    this.nearAnchor = at;
    this.nearAnchorHash = hash;
    if ((at & (ANCHOR_EVERY - 1)) !== 0) return;
    this.anchor = at;
    this.anchorHash = hash;
  }

  /** The distance to the same characters at a place filed or held before; 0 where there are none. */
  private periodAt(at: number, hash: number): number {
    const near = hash === this.nearAnchorHash ? this.periodOf(at, this.nearAnchor) : 0;
    if (near > 0) return near;
    const far = hash === this.anchorHash ? this.periodOf(at, this.anchor) : 0;
    if (far > 0 || hash >>> SAMPLE_SHIFT !== 0) return far;
    return this.periodOf(at, this.lastPlace[hash >>> PLACE_SHIFT] ?? -1);
  }

  /** The distance to a place filed before, if what stands there is the same; 0 if not. */
  private periodOf(at: number, place: number): number {
    const distance = at - place;
    if (place < 0 || distance >= this.ring.length) return 0;
    return this.sameBackwards(at, distance) < GRAM ? 0 : distance;
  }

  private sameBackwards(at: number, distance: number): number {
    const mask = this.ring.length - 1;
    const most = Math.min(MAX_BACKWARDS, at - distance + 1, this.ring.length - distance);
    let same = 0;
    while (same < most && this.ring[(at - same) & mask] === this.ring[(at - same - distance) & mask])
      same += 1;
    return same;
  }

  /** The ring, grown so that it holds `more` characters beside those it has, or the longest period. */
  private ringFor(more: number): Uint16Array {
    let size = this.ring.length;
    while (size < this.length + more && size < LARGEST) size *= 4;
    if (size === this.ring.length) return this.ring;
    const ring = new Uint16Array(size);
    ring.set(this.ring);
    this.ring = ring;
    return ring;
  }
}

const folds = Uint8Array.from({ length: 128 }, (_, unit) =>
  unit >= 65 && unit <= 90 ? unit + 32 : unit <= 32 ? 0 : unit,
);

function foldBeyondAscii(unit: number): number {
  return unit === 0xa0 || unit === 0x3000 || unit === 0x200b ? 0 : unit;
}

/** A character as the finder takes it: lower case for ASCII; 0 for white space, which says nothing about a loop. */
export function fold(unit: number): number {
  return unit < 128 ? (folds[unit] ?? 0) : foldBeyondAscii(unit);
}
