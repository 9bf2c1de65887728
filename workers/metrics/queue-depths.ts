import { Queue } from 'bullmq';
import type { RedisClient } from '../../shared/redis/connection.ts';
import type { Keys } from '../../shared/redis/keys.ts';
import type { Sample } from '../../shared/observability/metrics-registry.ts';

const states = ['waiting', 'active', 'delayed', 'failed', 'prioritized'] as const;

/** Counts the jobs of the queues that live sweeps use. */
export class QueueDepths {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #queues = new Map<string, Queue>();

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** @param targets - the targets of live sweeps; queues of others are no longer looked at */
  async samples(targets: ReadonlySet<string>): Promise<Sample[]> {
    const wanted = new Map([
      ...[...targets].map((target) => [target, this.#keys.generationQueue(target)] as const),
      ['monitor', this.#keys.monitorQueue] as const,
    ]);
    for (const [label, queue] of this.#queues) {
      if (wanted.has(label)) continue;
      this.#queues.delete(label);
      await queue.close();
    }
    const depths = [...wanted].map(([label, name]) => this.#depths(label, name));
    return (await Promise.all(depths)).flat();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }

  async #depths(label: string, name: string): Promise<Sample[]> {
    const queue = this.#queues.get(label) ?? this.#open(name);
    this.#queues.set(label, queue);
    const counts = await queue.getJobCounts(...states);
    return states.map((state) => ({
      name: 'haltline_queue_jobs' as const,
      labels: { queue: label, state },
      value: counts[state] ?? 0,
    }));
  }

  #open(name: string): Queue {
    const queue = new Queue(name, { connection: this.#redis, prefix: this.#keys.queuePrefix });
    // The connection's own errors are logged where it is opened.
    queue.on('error', () => undefined);
    return queue;
  }
}
