import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { LEASE_MS } from '../../shared/redis/sweep-store.ts';

const renewEveryMs = 3_000;
/** A write begun this long before the lease runs out is over when it does. */
const marginMs = 1_000;

/** What a lease needs of `SweepStore`. */
export interface LeaseStore {
  hold(sweep: string, lease: 'metrics', token: string): Promise<boolean>;
  release(sweep: string, lease: 'metrics', token: string): Promise<void>;
}

/**
 * The metrics lease of one sweep. States: held (renewed in time), doubtful (not renewed in time: nothing may be written
 * until it is renewed again), lost for good (another holds it, or it was given back).
 */
export class Lease {
  readonly token: string;
  readonly #store: LeaseStore;
  readonly #sweep: string;
  readonly #log: Logger;
  readonly #lost = new AbortController();
  #isTakenOver = false;
  #renewedAtMs: number;
  #timer: NodeJS.Timeout | undefined;

  private constructor(store: LeaseStore, sweep: string, token: string, log: Logger, renewedAtMs: number) {
    this.#store = store;
    this.#sweep = sweep;
    this.token = token;
    this.#log = log;
    this.#renewedAtMs = renewedAtMs;
  }

  /** @returns undefined when another holds it */
  static async take(
    store: LeaseStore,
    sweep: string,
    token: string,
    log: Logger,
  ): Promise<Lease | undefined> {
    // The clock starts before the question: the lease runs from when Redis answered it.
    const askedAtMs = performance.now();
    if (!(await store.hold(sweep, 'metrics', token))) return undefined;
    const lease = new Lease(store, sweep, token, log, askedAtMs);
    lease.#schedule();
    return lease;
  }

  isHeld(): boolean {
    return !this.#lost.signal.aborted && performance.now() - this.#renewedAtMs < LEASE_MS - marginMs;
  }

  /** Aborted when the lease is lost for good. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether another holds it. */
  get isTakenOver(): boolean {
    return this.#isTakenOver;
  }

  async release(): Promise<void> {
    clearTimeout(this.#timer);
    this.#lost.abort();
    await this.#store.release(this.#sweep, 'metrics', this.token);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#renewInTime(), renewEveryMs);
  }

  /** Renews it now. @returns false when another holds it: then it is lost. @throws what Redis answers */
  async renew(): Promise<boolean> {
    const askedAtMs = performance.now();
    if (!(await this.#store.hold(this.#sweep, 'metrics', this.token))) {
      this.#giveUp();
      return false;
    }
    this.#renewedAtMs = askedAtMs;
    return true;
  }

  async #renewInTime(): Promise<void> {
    try {
      await this.renew();
    } catch (err) {
      this.#log.warn({ event: 'lease-renewal-failed', err }, 'could not renew the lease');
    }
    if (!this.#lost.signal.aborted) this.#schedule();
  }

  #giveUp(): void {
    clearTimeout(this.#timer);
    if (this.#lost.signal.aborted) return;
    this.#isTakenOver = true;
    this.#lost.abort();
    this.#log.warn({ event: 'lease-lost' }, 'another metrics worker has taken the sweep');
  }
}
