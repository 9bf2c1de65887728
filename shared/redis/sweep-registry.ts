import type { Logger } from 'pino';
import type { LiveSweep, SweepStatus } from '../schemas/live-sweep.ts';
import type { SweepStore } from './sweep-store.ts';

export interface KnownSweep {
  readonly sweep: LiveSweep;
  /** Another after each announcement of the sweep. */
  readonly announced: string;
  status: SweepStatus;
  backlogBytes: number;
}

/** How often workers look for live sweeps and their status. */
const POLL_MS = 500;
/** Looks that failed for so long are more than a hiccup. */
const STALE_MS = 5_000;

/**
 * The live sweeps, as a worker process knows them: polled, so that a worker needs no spec on its command line.
 * `onChange` is called after each look. A look that fails leaves what was known.
 */
export class SweepRegistry {
  readonly #known = new Map<string, KnownSweep>();
  readonly #store: SweepStore;
  readonly #log: Logger;
  readonly #unreadable = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #lookedAtMs = performance.now();
  #closed = false;

  private constructor(store: SweepStore, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  static async create(
    store: SweepStore,
    log: Logger,
    onChange: (sweeps: readonly KnownSweep[]) => void,
  ): Promise<SweepRegistry> {
    const registry = new SweepRegistry(store, log);
    const look = async (): Promise<void> => {
      try {
        await registry.#look();
        registry.#lookedAtMs = performance.now();
        if (!registry.#closed) onChange([...registry.#known.values()]);
      } catch (err) {
        log.debug({ event: 'sweeps-unreadable', err }, 'could not read the live sweeps');
      }
      if (!registry.#closed) registry.#timer = setTimeout(() => void look(), POLL_MS);
    };
    await look();
    return registry;
  }

  /** The sweep, read now if it is not known yet; undefined when Redis does not know it either. */
  async get(id: string): Promise<KnownSweep | undefined> {
    return this.#known.get(id) ?? (await this.#read(id));
  }

  /** Why what is known here may be old; undefined when it is fresh. */
  get staleness(): string | undefined {
    if (this.#closed) return 'closing';
    const silentMs = performance.now() - this.#lookedAtMs;
    return silentMs < STALE_MS ? undefined : `Redis has not answered for ${Math.round(silentMs / 1_000)} s`;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const live = new Set(await this.#store.liveSweeps());
    for (const id of this.#known.keys()) if (!live.has(id)) this.#known.delete(id);
    for (const id of live) {
      const [now, backlogBytes] = await Promise.all([this.#store.look(id), this.#store.backlogBytes(id)]);
      let known = this.#known.get(id);
      // Announced again, it may hold other limits and prices.
      if (!known || (now && now.announced !== known.announced)) known = (await this.#read(id)) ?? known;
      if (!known) continue;
      this.#known.set(id, Object.assign(known, { backlogBytes }, now ? { status: now.status } : {}));
    }
  }

  async #read(id: string): Promise<KnownSweep | undefined> {
    try {
      // In this order: a spec may be newer than the word, and is read again then; never the reverse.
      const now = await this.#store.look(id);
      const sweep = await this.#store.read(id);
      return sweep && now ? { sweep, ...now, backlogBytes: 0 } : undefined;
    } catch (err) {
      // Read at each look, told once.
      if (!this.#unreadable.has(id)) {
        this.#log.warn({ event: 'sweep-unreadable', sweep: id, err }, 'a sweep in Redis cannot be read');
      }
      this.#unreadable.add(id);
      return undefined;
    }
  }
}
