interface Numbers {
  [index: number]: number;
  readonly length: number;
  set(source: ArrayLike<number>): void;
}

/** Numbers in one array. Small enough that an unfilled one weighs little beside a column worth measuring. */
const CHUNK = 2_048;

/**
 * A list of numbers in typed arrays of one length, made as places in them are set: no copy of all as it grows, and next
 * to no room to spare. (The only array of a short column doubles up to that length.) Places never set read as 0, and a
 * stretch of them costs nothing.
 */
export class NumberColumn {
  readonly #chunks: (Numbers | undefined)[] = [];
  #length = 0;
  readonly #make: (length: number) => Numbers;

  constructor(make: (length: number) => Numbers) {
    this.#make = make;
  }

  get length(): number {
    return this.#length;
  }

  at(index: number): number {
    return this.#chunks[Math.floor(index / CHUNK)]?.[index % CHUNK] ?? 0;
  }

  set(index: number, value: number): void {
    const chunk = Math.floor(index / CHUNK);
    const numbers = this.#room(chunk, index % CHUNK);
    numbers[index % CHUNK] = value;
    this.#length = Math.max(this.#length, index + 1);
  }

  push(value: number): void {
    this.set(this.#length, value);
  }

  toArray(): number[] {
    return Array.from({ length: this.#length }, (_, index) => this.at(index));
  }

  #room(chunk: number, place: number): Numbers {
    const known = this.#chunks[chunk];
    if (known !== undefined && place < known.length) return known;
    const isOnly = chunk === 0 && this.#length < CHUNK;
    const grown = this.#make(isOnly ? Math.min(CHUNK, Math.max(16, 2 * place)) : CHUNK);
    if (known !== undefined) grown.set(known);
    // No holes: an array of arrays with holes would become a hash table.
    while (this.#chunks.length <= chunk) this.#chunks.push(undefined);
    this.#chunks[chunk] = grown;
    return grown;
  }
}

export const bytes = (): NumberColumn => new NumberColumn((length) => new Uint8Array(length));
export const shorts = (): NumberColumn => new NumberColumn((length) => new Uint16Array(length));
export const counts = (): NumberColumn => new NumberColumn((length) => new Uint32Array(length));
/** 24 bits of precision: enough for milliseconds of a run, to a hundredth of a percent of a percent. */
export const floats = (): NumberColumn => new NumberColumn((length) => new Float32Array(length));
