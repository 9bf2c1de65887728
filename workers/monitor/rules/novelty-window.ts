import { mix } from './words.ts';

const SMALLEST = 1 << 11;
const LARGEST = 1 << 16;

export interface NoveltyOptions {
  /** Words in a gram. */
  readonly gram: number;
  /** Grams in the window. */
  readonly size: number;
}

/**
 * The share of word sequences in a sliding window that the chain has not had before: constant work a word, at most
 * 256 KiB of state. When its table is full, old sequences are forgotten and count as new again: it errs towards new.
 */
export class NoveltyWindow {
  private readonly recent: Int32Array;
  private readonly isNew: Uint8Array;
  private table = new Int32Array(SMALLEST);
  private filled = 0;
  private words = 0;
  private grams = 0;
  private fresh = 0;
  private readonly gram: number;
  private readonly size: number;

  constructor({ gram, size }: NoveltyOptions) {
    this.gram = gram;
    this.size = size;
    this.recent = new Int32Array(gram);
    this.isNew = new Uint8Array(size);
  }

  push(word: number): void {
    this.recent[this.words % this.gram] = word;
    this.words += 1;
    if (this.words < this.gram) return;
    let hash = 0x2545f491;
    for (let i = this.gram; i > 0; i -= 1) hash = mix(hash, this.recent[(this.words - i) % this.gram] ?? 0);
    this.slide(this.remember(hash ^ (hash >>> 13)) ? 1 : 0);
  }

  /** [0, 1]; 1 until the window is full. */
  share(): number {
    return this.grams < this.size ? 1 : this.fresh / this.size;
  }

  private slide(isNew: 0 | 1): void {
    const slot = this.grams % this.size;
    if (this.grams >= this.size) this.fresh -= this.isNew[slot] ?? 0;
    this.isNew[slot] = isNew;
    this.fresh += isNew;
    this.grams += 1;
  }

  /** Files a sequence; tells whether it was not there. */
  private remember(hash: number): boolean {
    const key = hash || 1;
    const slot = key & (this.table.length - 1);
    const held = this.table[slot] ?? 0;
    if (held === key) return false;
    this.table[slot] = key;
    if (held === 0) this.filled += 1;
    if (this.filled * 2 > this.table.length && this.table.length < LARGEST) this.grow();
    return true;
  }

  private grow(): void {
    const old = this.table;
    this.table = new Int32Array(old.length * 4 > LARGEST ? LARGEST : old.length * 4);
    this.filled = 0;
    for (const key of old) {
      if (key === 0) continue;
      const slot = key & (this.table.length - 1);
      if (this.table[slot] === 0) this.filled += 1;
      this.table[slot] = key;
    }
  }
}
