import type { EpochRef, Refusal, Refused, RunStore } from '../../shared/redis/run-store.ts';
import type { Step } from '../../shared/schemas/step.ts';

/** Steps sent in one call, at most. */
const MAX_BATCH = 256;

export interface PublishHooks {
  onSending(steps: readonly Step[]): void;
  onPublished(steps: readonly Step[]): void;
  onFailed(why: Refusal | Error): void;
}

/**
 * Publishes the steps of an epoch in order, one call at a time: what finishes while a call is out goes with the next,
 * so a resent call can never overtake another.
 */
export class StepPublisher {
  readonly #store: RunStore;
  readonly #epoch: EpochRef;
  readonly #hooks: PublishHooks;
  #waiting: Step[] = [];
  #published = 0;
  #sending: Promise<void> | undefined;
  #closed = false;
  #failed = false;
  #isEnding = false;
  #isEnded = false;

  constructor(store: RunStore, epoch: EpochRef, hooks: PublishHooks) {
    this.#store = store;
    this.#epoch = epoch;
    this.#hooks = hooks;
  }

  add(steps: readonly Step[]): void {
    if (this.#closed || steps.length === 0) return;
    this.#waiting.push(...steps);
    this.#sending ??= this.#send();
  }

  /** Drops what has not been sent, and takes no more. */
  close(): void {
    this.#closed = true;
    this.#waiting = [];
  }

  /**
   * Adds the last steps, and tells with them how many there are: one call for both, most often. Resolves when nothing is
   * out.
   */
  async end(steps: readonly Step[]): Promise<void> {
    this.#isEnding = true;
    this.add(steps);
    while (this.#sending) await this.#sending;
    if (this.#isEnded || this.#failed) return;
    await this.#attempt(async () => this.#isRefused(await this.#store.end(this.#epoch, this.#published)));
  }

  async #send(): Promise<void> {
    await this.#attempt(async () => {
      while (this.#waiting.length > 0 && (await this.#sendBatch()));
    });
    this.#sending = undefined;
  }

  /** @returns whether it was not refused */
  async #sendBatch(): Promise<boolean> {
    const batch = this.#waiting.splice(0, MAX_BATCH);
    const isLast = this.#isEnding && this.#waiting.length === 0;
    this.#hooks.onSending(batch);
    const ended = isLast ? { ended: this.#published + batch.length } : {};
    if (this.#isRefused(await this.#store.publish(this.#epoch, batch, ended))) return false;
    this.#published += batch.length;
    this.#isEnded = isLast;
    this.#hooks.onPublished(batch);
    return true;
  }

  #isRefused(answer: Refused | undefined): boolean {
    if (answer) this.#fail(answer.refused);
    return answer !== undefined;
  }

  async #attempt(call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #fail(why: Refusal | Error): void {
    this.#failed = true;
    this.close();
    this.#hooks.onFailed(why);
  }
}
