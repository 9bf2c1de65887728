/** A stretch of text that repeats what stands `period` characters before it. Lengths count folded characters. */
export interface Cycle {
  readonly period: number;
  /** Characters that equal those `period` before them, without a break. */
  readonly matched: number;
}

const GRAM = 16;
const SMALLEST = 1 << 12;
/** Longest period found: 65,535 characters; more than 40 steps of 1,024 units. */
const LARGEST = 1 << 16;
const BASE = 0x01000193;
const MAX_BACKWARDS = 256;
/** One place in eight is filed, chosen by what stands there, so that copies choose the same places. */
const SAMPLE_MASK = 7;
const PLACES = LARGEST / 4;
/** Every so many characters a place is held whatever it holds: short cycles may have no place that is chosen. */
const ANCHOR_EVERY = 1 << 9;

/**
 * Finds the period of a stream of characters as it arrives: constant work a character, at most 192 KiB of state, and
 * blind to where steps were cut, so a loop inside one step, over 40 steps or without blank lines looks the same.
 *
 * States: searching (no period: the 16 characters that end here are looked up among places filed before) and
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

  /** Takes one character; afterwards `period` and `matched` tell the cycle it stands in (0 and 0 outside any). */
  push(character: number): void {
    if (this.length >= this.ring.length && this.ring.length < LARGEST) this.grow();
    const mask = this.ring.length - 1;
    const at = this.length;
    const leaving = at >= GRAM ? Math.imul((this.ring[(at - GRAM) & mask] ?? 0) + 1, LEADING) : 0;
    this.hash = (Math.imul(this.hash - leaving, BASE) + character + 1) | 0;
    this.ring[at & mask] = character;
    this.length += 1;
    const mixed = this.hash ^ (this.hash >>> 15);
    const slot = (mixed & SAMPLE_MASK) === 0 ? (mixed >>> 3) & (PLACES - 1) : -1;
    if (this.period > 0 && this.ring[(at - this.period) & mask] === character) this.matched += 1;
    else {
      this.period = 0;
      this.matched = 0;
      if (this.hash === this.anchorHash) this.follow(at, this.anchor, mask);
      if (slot !== -1 && this.period === 0) this.follow(at, this.lastPlace[slot] ?? -1, mask);
    }
    if (at >= GRAM) this.file(at, slot);
  }

  private file(at: number, slot: number): void {
    if (slot !== -1) this.lastPlace[slot] = at;
    if ((at & (ANCHOR_EVERY - 1)) !== 0) return;
    this.anchor = at;
    this.anchorHash = this.hash;
  }

  private follow(at: number, place: number, mask: number): void {
    const distance = at - place;
    if (place < 0 || distance >= this.ring.length) return;
    const same = this.sameBackwards(at, distance, mask);
    if (same < GRAM) return;
    this.period = distance;
    this.matched = same;
  }

  private sameBackwards(at: number, distance: number, mask: number): number {
    const most = Math.min(MAX_BACKWARDS, at - distance + 1, this.ring.length - distance);
    let same = 0;
    while (same < most && this.ring[(at - same) & mask] === this.ring[(at - same - distance) & mask])
      same += 1;
    return same;
  }

  private grow(): void {
    const ring = new Uint16Array(this.ring.length * 4);
    ring.set(this.ring);
    this.ring = ring;
  }
}

/** BASE to the power GRAM - 1: the weight of the character that leaves the window. */
const LEADING = Array.from({ length: GRAM - 1 }).reduce<number>((factor) => Math.imul(factor, BASE), 1);
