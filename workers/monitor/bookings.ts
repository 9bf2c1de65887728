import type { Logger } from 'pino';
import { callMoney } from '../../shared/core/spend.ts';
import type { RunRef, RunStore } from '../../shared/redis/run-store.ts';
import type { SweepStore } from '../../shared/redis/sweep-store.ts';
import type { MonitorUse } from '../../shared/schemas/run-result.ts';
import type { Price } from '../../shared/schemas/sweep-file.ts';

/**
 * Books what monitor calls cost, however they ended: on their run, or on the sweep as late when the run is on disk
 * already. Judging does not wait for it; `settled` does.
 */
export class Bookings {
  readonly #store: RunStore;
  readonly #sweeps: SweepStore;
  readonly #log: Logger;
  readonly #open = new Set<Promise<void>>();

  constructor(store: RunStore, sweeps: SweepStore, log: Logger) {
    this.#store = store;
    this.#sweeps = sweeps;
    this.#log = log;
  }

  /** @param price - of the monitor's model; without one, its tokens count for the sweep's caps and no money */
  add(run: RunRef, use: MonitorUse, price?: Price): void {
    const booking = this.#book(run, use, price).finally(() => this.#open.delete(booking));
    this.#open.add(booking);
  }

  /** Waits until nothing is open, at most so long: a Redis that is gone would keep a closing worker for ever. */
  async settled(maxMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, maxMs)));
    await Promise.race([Promise.all(this.#open), late]);
    clearTimeout(timer);
  }

  async #book(run: RunRef, use: MonitorUse, price: Price | undefined): Promise<void> {
    const spent = { money: callMoney(price, use) ?? 0, tokens: use.tokensIn + use.tokensOut };
    try {
      // Both at once, in this order: Redis gets them in one piece, with the verdict that the call came to.
      const spending = this.#sweeps.bookSpend(run.sweep, run.place, spent);
      const [refused] = await Promise.all([this.#store.book(run, use), spending]);
      if (refused) await this.#sweeps.bookLate(run.sweep, use);
    } catch (err) {
      const { sweep, place } = run;
      this.#log.warn(
        { event: 'booking-failed', sweep, place, err },
        'what a monitor call cost is not booked',
      );
    }
  }
}
