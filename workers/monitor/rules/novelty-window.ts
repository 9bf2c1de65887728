const SMALLEST = 1 << 11;
const LARGEST = 1 << 16;

/**
 * The share of word sequences in a sliding window that the chain has not had before: constant work a sequence, at
 * most 256 KiB of state. When its table is full, old sequences are forgotten and count as new again: it errs towards
 * new.
 */
export class NoveltyWindow {
  private readonly isNew: Uint8Array;
  private table = new Int32Array(SMALLEST);
  private filled = 0;
  private slot = 0;
  private isFull = false;
  private fresh = 0;
  private readonly size: number;

  /** @param size - sequences in the window */
  constructor(size: number) {
    this.size = size;
    this.isNew = new Uint8Array(size);
  }

  /** Takes the hash of the next sequence. */
  push(hash: number): void {
    const isNew = this.remember(hash ^ (hash >>> 13)) ? 1 : 0;
    this.fresh += isNew - (this.isNew[this.slot] ?? 0);
    this.isNew[this.slot] = isNew;
    this.slot += 1;
    if (this.slot < this.size) return;
    this.slot = 0;
    this.isFull = true;
  }

  /** [0, 1]; 1 until the window is full. */
  share(): number {
    return this.isFull ? this.fresh / this.size : 1;
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
