/** One bit a place, highest bit of a byte first: as Redis stores the done marks. */
export class DoneMarks {
  readonly #bytes: Uint8Array;
  readonly #total: number;
  #count = 0;

  constructor(total: number) {
    this.#total = total;
    this.#bytes = new Uint8Array(Math.ceil(total / 8));
  }

  /** Number of places marked. */
  get count(): number {
    return this.#count;
  }

  /** The marks as Redis has them; shared, not copied. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  isPlace(place: number): boolean {
    return Number.isInteger(place) && place >= 0 && place < this.#total;
  }

  has(place: number): boolean {
    return ((this.#bytes[place >> 3] ?? 0) & (0x80 >> (place & 7))) !== 0;
  }

  /** @throws RangeError on a place outside the plan */
  add(place: number): void {
    if (!this.isPlace(place)) throw new RangeError(`place ${place} of a plan of ${this.#total}`);
    if (this.has(place)) return;
    this.#bytes[place >> 3] = (this.#bytes[place >> 3] ?? 0) | (0x80 >> (place & 7));
    this.#count += 1;
  }
}
