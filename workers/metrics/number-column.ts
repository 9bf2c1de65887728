interface Numbers {
  [index: number]: number;
  readonly length: number;
  set(source: ArrayLike<number>): void;
}

/** A list of numbers in a typed array that grows by a quarter at a time; places never set read as 0. */
export class NumberColumn {
  #numbers: Numbers;
  #length = 0;
  readonly #make: (length: number) => Numbers;

  constructor(make: (length: number) => Numbers) {
    this.#make = make;
    this.#numbers = make(16);
  }

  get length(): number {
    return this.#length;
  }

  at(index: number): number {
    return this.#numbers[index] ?? 0;
  }

  set(index: number, value: number): void {
    if (index >= this.#numbers.length) {
      const grown = this.#make(Math.max(index + 1, Math.ceil(this.#numbers.length * 1.25)));
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[index] = value;
    this.#length = Math.max(this.#length, index + 1);
  }

  push(value: number): void {
    this.set(this.#length, value);
  }

  toArray(): number[] {
    return Array.from({ length: this.#length }, (_, index) => this.at(index));
  }
}

export const bytes = (): NumberColumn => new NumberColumn((length) => new Uint8Array(length));
export const shorts = (): NumberColumn => new NumberColumn((length) => new Uint16Array(length));
export const counts = (): NumberColumn => new NumberColumn((length) => new Uint32Array(length));
/** 24 bits of precision: enough for milliseconds of a run, to a hundredth of a percent of a percent. */
export const floats = (): NumberColumn => new NumberColumn((length) => new Float32Array(length));
