const SMALLEST = 1 << 11;
const LARGEST = 1 << 16;

/**
 * The share of word sequences in a sliding window that the chain has not had before: constant work a sequence, at
 * most 256 KiB of state. When its table is full, old sequences are forgotten and count as new again: it errs towards
 * new.
 */
export class NoveltyWindow {
  /** Of the last sequences, up to the longer window, whether each was new. */
  private readonly isNew: Uint8Array;
  private table = new Int32Array(SMALLEST);
  private filled = 0;
  private slot = 0;
  private seen = 0;
  private fresh = 0;
  private longFresh = 0;
  private readonly size: number;

  /**
   * @param size - sequences in the window
   * @param longSize - those in a second window over the same sequences, `size` or more
   */
  constructor(size: number, longSize = size) {
    this.size = size;
    this.isNew = new Uint8Array(longSize);
  }

  /** Takes the hash of the next sequence. */
  push(hash: number): void {
    const { isNew, slot, size } = this;
    const now = this.remember(hash ^ (hash >>> 13)) ? 1 : 0;
    const leaving = slot >= size ? slot - size : slot - size + isNew.length;
    // In a window of the longer size it is this very slot that leaves: it is read before it is written.
    this.fresh += now - (isNew[leaving] ?? 0);
    this.longFresh += now - (isNew[slot] ?? 0);
    isNew[slot] = now;
    this.slot = slot + 1 === isNew.length ? 0 : slot + 1;
    this.seen += 1;
  }

  /** [0, 1]; 1 until the window is full. */
  share(): number {
    return this.seen >= this.size ? this.fresh / this.size : 1;
  }

  /** The same of the longer window. */
  longShare(): number {
    return this.seen >= this.isNew.length ? this.longFresh / this.isNew.length : 1;
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
