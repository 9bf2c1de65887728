import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from './connection.ts';
import { type Push, pushSchema } from '../schemas/push.ts';

const RESUBSCRIBE_MS = 100;

/** Hears what is pushed about one epoch. `onGap`: pushes may have been lost, so the truth must be read. */
export interface PushListener {
  onPush(push: Push): void;
  onGap(): void;
}

interface About {
  readonly sweep: string;
  readonly place: number;
  readonly epoch: number;
}

/**
 * The push channel of one worker process, over a connection of its own. Pushes of an epoch nobody listens to are
 * dropped: they can be read from the run's keys. After each (re)connection every listener is told of the gap.
 */
export class PushReceiver {
  readonly #listeners = new Map<string, PushListener>();
  readonly #redis: RedisClient;
  #isClosed = false;

  private constructor(redis: RedisClient) {
    this.#redis = redis;
  }

  /** `redis` is used for nothing else from now on; the receiver closes it. */
  static async create(redis: RedisClient, channel: string): Promise<PushReceiver> {
    const receiver = new PushReceiver(redis);
    redis.on('message', (_channel: string, message: string) => receiver.#hear(message));
    await redis.subscribe(channel);
    redis.on('ready', () => void receiver.#endGap(channel));
    // A cluster stays ready when the node that it subscribed at goes: it subscribes at another one.
    redis.on('-node', () => void receiver.#endClusterGap(channel));
    return receiver;
  }

  /** Listens until the returned function is called. */
  listen(about: About, listener: PushListener): () => void {
    const key = keyOf(about);
    this.#listeners.set(key, listener);
    return () => {
      if (this.#listeners.get(key) === listener) this.#listeners.delete(key);
    };
  }

  /** Does not wait for Redis, which may be away. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#redis.disconnect();
    return Promise.resolve();
  }

  #hear(message: string): void {
    const push = pushSchema.safeParse(parseJson(message));
    if (push.success) this.#listeners.get(keyOf(push.data))?.onPush(push.data);
  }

  /**
   * A new connection is `ready` before it subscribes again: what is read at that moment may miss a push that comes before
   * the subscription. Subscribing once more is answered when both stand.
   */
  async #endGap(channel: string): Promise<void> {
    try {
      await this.#redis.subscribe(channel);
    } catch {
      return; // Lost again, or closed: the next connection tells.
    }
    for (const listener of [...this.#listeners.values()]) listener.onGap();
  }

  /** The cluster's client chooses another node by and by, which may be gone too: so this is tried until it succeeds. */
  async #endClusterGap(channel: string): Promise<void> {
    for (let isHeard = false; !isHeard;) {
      await sleep(RESUBSCRIBE_MS);
      if (this.#isClosed) return;
      isHeard = await this.#redis.subscribe(channel).then(
        () => true,
        () => false,
      );
    }
    await this.#endGap(channel);
  }
}

function keyOf(about: About): string {
  return `${about.sweep}/${String(about.place)}/${String(about.epoch)}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
