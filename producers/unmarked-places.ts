import type { SweepStore } from '../shared/redis/sweep-store.ts';

const CHUNK_BYTES = 8 * 1024;
/** Marks only ever appear, so an old chunk costs at most a run that finds itself on disk. */
const MAX_AGE_MS = 1_000;

/** Reads the done marks of a sweep in chunks of 65,536 places: walking a plan in order costs one read for each. */
export class UnmarkedPlaces {
  readonly #store: SweepStore;
  readonly #sweep: string;
  #chunk: { from: number; marks: Uint8Array; readAtMs: number } | undefined;

  constructor(store: SweepStore, sweep: string) {
    this.#store = store;
    this.#sweep = sweep;
  }

  /** The places of [first, first + size) that are not on disk yet, as far as the last second knows. */
  async within(first: number, size: number): Promise<number[]> {
    const places: number[] = [];
    for (let place = first; place < first + size; place += 1) {
      const { from, marks } = await this.#chunkOf(place);
      const byte = marks[Math.floor((place - from) / 8)] ?? 0;
      if ((byte & (0x80 >> (place % 8))) === 0) places.push(place);
    }
    return places;
  }

  /** The next look reads anew. */
  forget(): void {
    this.#chunk = undefined;
  }

  async #chunkOf(place: number): Promise<{ from: number; marks: Uint8Array }> {
    const from = place - (place % (CHUNK_BYTES * 8));
    const now = performance.now();
    if (this.#chunk?.from === from && now - this.#chunk.readAtMs < MAX_AGE_MS) return this.#chunk;
    const marks = await this.#store.readDone(this.#sweep, from, CHUNK_BYTES);
    this.#chunk = { from, marks, readAtMs: now };
    return this.#chunk;
  }
}
