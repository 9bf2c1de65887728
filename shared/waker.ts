/** Lets one waiter sleep until something happens or a time is over. A wake with nobody waiting is kept for the next. */
export class Waker {
  #woken = false;
  #resolve: (() => void) | undefined;

  wake(): void {
    this.#woken = true;
    this.#resolve?.();
  }

  /** Resolves to true when woken, to false when `timeoutMs` went by in silence. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.#woken) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        timer = setTimeout(resolve, timeoutMs);
      });
      clearTimeout(timer);
      this.#resolve = undefined;
    }
    const woken = this.#woken;
    this.#woken = false;
    return woken;
  }
}
