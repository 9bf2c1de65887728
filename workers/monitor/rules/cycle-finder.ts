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

/**
 * Finds the period of a stream of characters as it arrives: constant work a character, at most 384 KiB of state,
 * and blind to where steps were cut, so a loop inside one step, over 40 steps or without blank lines looks the same.
 *
 * States: searching (no period: every character looks up the last place of the 16 characters that end here) and
 * following (a period is held for as long as each character equals the one a period before it).
 */
export class CycleFinder implements Cycle {
  private ring = new Uint16Array(SMALLEST);
  private lastPlace = new Int32Array(SMALLEST).fill(-1);
  private length = 0;
  private hash = 0;
  period = 0;
  matched = 0;
  private readonly leading = leadingFactor();

  /** Takes one character and tells the cycle it stands in; `matched` is 0 outside any. */
  push(character: number): Cycle {
    if (this.length >= this.ring.length && this.ring.length < LARGEST) this.grow();
    const mask = this.ring.length - 1;
    const at = this.length;
    this.roll(character, mask);
    this.ring[at & mask] = character;
    this.length += 1;
    if (this.period > 0 && this.ring[(at - this.period) & mask] === character) this.matched += 1;
    else this.search(at, mask);
    if (at >= GRAM) this.lastPlace[this.slot(mask)] = at;
    return this;
  }

  private roll(character: number, mask: number): void {
    const leaving = this.length >= GRAM ? (this.ring[(this.length - GRAM) & mask] ?? 0) : 0;
    const rest = (this.hash - Math.imul(leaving + 1, this.length >= GRAM ? this.leading : 0)) | 0;
    this.hash = (Math.imul(rest, BASE) + character + 1) | 0;
  }

  private slot(mask: number): number {
    return (this.hash ^ (this.hash >>> 15)) & mask;
  }

  private search(at: number, mask: number): void {
    this.period = 0;
    this.matched = 0;
    const place = this.lastPlace[this.slot(mask)] ?? -1;
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
    const size = this.ring.length * 2;
    const ring = new Uint16Array(size);
    ring.set(this.ring);
    this.ring = ring;
    const old = this.lastPlace;
    this.lastPlace = new Int32Array(size).fill(-1);
    for (const place of old) if (place >= GRAM) this.replace(place);
  }

  /** Files a place under its hash in the larger table. */
  private replace(place: number): void {
    let hash = 0;
    for (let i = place - GRAM + 1; i <= place; i += 1)
      hash = (Math.imul(hash, BASE) + (this.ring[i] ?? 0) + 1) | 0;
    const slot = (hash ^ (hash >>> 15)) & (this.ring.length - 1);
    if ((this.lastPlace[slot] ?? -1) < place) this.lastPlace[slot] = place;
  }
}

/** BASE to the power GRAM - 1: the weight of the character that leaves the window. */
function leadingFactor(): number {
  let factor = 1;
  for (let i = 1; i < GRAM; i += 1) factor = Math.imul(factor, BASE);
  return factor;
}
