import type { Logger } from 'pino';
import { pricesById, worstMoney } from '../../shared/core/spend.ts';
import type { SweepStore } from '../../shared/redis/sweep-store.ts';
import type { GenerationJob } from '../../shared/schemas/job.ts';
import type { SweepSpec } from '../../shared/schemas/sweep-spec.ts';

export interface RunAccountOptions {
  readonly sweeps: SweepStore;
  readonly spec: SweepSpec;
  readonly job: GenerationJob;
  /** The local count of the job's messages. */
  readonly promptTokens: () => number;
  readonly log: Logger;
}

/**
 * What a run may come to, reserved under the caps of its sweep: its prompt and the whole of its `maxTokens`, at the
 * price of its target. The metrics worker frees it when the run is on disk, and counts what it came to in truth.
 */
export class RunAccount {
  readonly promptTokens: () => number;
  readonly #options: RunAccountOptions;

  constructor(options: RunAccountOptions) {
    this.#options = options;
    this.promptTokens = options.promptTokens;
  }

  /** Whether the caps let the run start now. The one that finds no room at all stops the sweep. */
  async mayStart(): Promise<boolean> {
    const answer = await this.#reserve({ epochs: 0, tokens: 0 }, false);
    const { log, job } = this.#options;
    if (answer === 'capped') {
      const { sweep } = job;
      log.warn({ event: 'sweep-capped', sweep }, 'no further run starts: the sweep has reached a cap');
    }
    return answer === 'reserved' || answer === 'done';
  }

  /** Another epoch of a run that is under way: it goes on, whatever the caps say. */
  async reserveAgain(earlier: { epochs: number; tokens: number }): Promise<void> {
    await this.#reserve(earlier, true);
  }

  #reserve(earlier: { epochs: number; tokens: number }, isUnderWay: boolean) {
    const { sweeps, job } = this.#options;
    const { maxTokens } = job.decoding;
    // Counting a prompt takes its time: only where a cap asks for it.
    const prompt = this.#isCounted ? this.promptTokens() * (1 + earlier.epochs) : 0;
    const completion = this.#isCounted ? maxTokens + earlier.tokens : 0;
    const money = worstMoney(pricesById(this.#options.spec).targets[job.target], { prompt, completion });
    return sweeps.reserve(job.sweep, { place: job.place, money, tokens: prompt + completion, isUnderWay });
  }

  get #isCounted(): boolean {
    const { maxCost, maxTokens } = this.#options.spec.limits;
    return maxCost !== undefined || maxTokens !== undefined;
  }
}
