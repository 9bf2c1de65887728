/** A bounded number of things at once; those that wait are let in by order of arrival. */
export class Slots {
  #limit: number;
  #taken = 0;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** A lower limit ends nothing: it holds as soon as enough has been given back. */
  setLimit(limit: number): void {
    this.#limit = limit;
    this.#admit();
  }

  /**
   * Waits for a slot.
   *
   * @returns gives it back, once
   * @throws the signal's reason when it is aborted first
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#taken >= this.#limit) await this.#wait(signal);
    else this.#taken += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#taken -= 1;
      isHeld = false;
      this.#admit();
    };
  }

  /** A waiter is counted as taken by `#admit`, so that nobody slips in between. */
  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      };
      this.#waiting.add(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #admit(): void {
    for (const enter of this.#waiting) {
      if (this.#taken >= this.#limit) return;
      this.#waiting.delete(enter);
      this.#taken += 1;
      enter();
    }
  }
}
