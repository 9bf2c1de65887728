import type { EpochRef, Refusal, RunStore } from '../../shared/redis/run-store.ts';
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

  /** Resolves when nothing is out. Answers how many steps stand published. */
  async drain(): Promise<number> {
    while (this.#sending) await this.#sending;
    return this.#published;
  }

  async #send(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, MAX_BATCH);
        this.#hooks.onSending(batch);
        const refused = await this.#store.publish(this.#epoch, batch);
        if (refused) {
          this.close();
          this.#hooks.onFailed(refused.refused);
          return;
        }
        this.#published += batch.length;
        this.#hooks.onPublished(batch);
      }
    } catch (error) {
      this.close();
      this.#hooks.onFailed(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#sending = undefined;
    }
  }
}
