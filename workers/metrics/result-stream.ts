import type { RedisClient } from '../../shared/redis/connection.ts';
import { z } from 'zod';
import { METRICS_GROUP } from '../../shared/redis/sweep-store.ts';
import { resultEntrySchema, type ResultEntry } from '../../shared/schemas/run-result.ts';

/** An entry of the results stream; `entry` is undefined where its fields don't fit. */
export interface StreamEntry {
  readonly id: string;
  readonly entry: ResultEntry | undefined;
  readonly text: string;
}

/** Redis 6.2 answers null for an entry that is pending and was deleted. */
const entriesSchema = z.array(z.tuple([z.string(), z.array(z.string()).nullable()]).nullable());
const readSchema = z.array(z.tuple([z.string(), entriesSchema])).nullable();
const claimSchema = z.tuple([z.string(), entriesSchema], z.unknown());

/** The results stream of one sweep, read through its group by whoever holds the sweep's lease. */
export class ResultStream {
  readonly #commands: RedisClient;
  readonly #blocking: RedisClient;
  readonly #key: string;
  readonly #consumer: string;

  /** @param connections - `blocking` serves nothing else: a blocked read holds back what stands behind it */
  constructor(connections: { commands: RedisClient; blocking: RedisClient }, key: string, consumer: string) {
    this.#commands = connections.commands;
    this.#blocking = connections.blocking;
    this.#key = key;
    this.#consumer = consumer;
  }

  /** Makes the group, if it isn't there, with the whole stream before it. */
  async ensureGroup(): Promise<void> {
    try {
      await this.#commands.xgroup('CREATE', this.#key, METRICS_GROUP, '0', 'MKSTREAM');
    } catch (error) {
      if (!isRedisError(error, 'BUSYGROUP')) throw error;
    }
  }

  /**
   * Takes over what was delivered and never settled, by this reader or by one before it. Only the lease's holder reads,
   * so nothing of it is in work.
   *
   * @param from - '0-0', or the `next` of the call before
   * @returns `next` is '0-0' when all has been gone through
   */
  async claim(from: string, count: number): Promise<{ entries: StreamEntry[]; next: string }> {
    const reply = await this.#commands.xautoclaim(
      this.#key,
      METRICS_GROUP,
      this.#consumer,
      0,
      from,
      'COUNT',
      count,
    );
    const [next, entries] = claimSchema.parse(reply);
    return { entries: toEntries(entries), next };
  }

  /** New entries; waits for the first at most `blockMs`. */
  async read(count: number, blockMs: number): Promise<StreamEntry[]> {
    const reply = await this.#blocking.xreadgroup(
      'GROUP',
      METRICS_GROUP,
      this.#consumer,
      'COUNT',
      count,
      'BLOCK',
      blockMs,
      'STREAMS',
      this.#key,
      '>',
    );
    return readSchema.parse(reply)?.flatMap(([, entries]) => toEntries(entries)) ?? [];
  }

  /** Forgets consumers that left nothing behind: one is left by each holder of the lease. */
  async dropIdleConsumers(): Promise<void> {
    const consumers = z
      .array(z.array(z.unknown()))
      .parse(await this.#commands.xinfo('CONSUMERS', this.#key, METRICS_GROUP));
    for (const fields of consumers) {
      const field = (name: string) => fields[fields.indexOf(name) + 1];
      const name = z.string().parse(field('name'));
      if (name !== this.#consumer && field('pending') === 0) {
        await this.#commands.xgroup('DELCONSUMER', this.#key, METRICS_GROUP, name);
      }
    }
  }

  /** Ends a blocked read. */
  close(): void {
    this.#blocking.disconnect();
  }
}

/** Whether the stream or its group went away under the reader (FLUSHALL, a deleted key). */
export function isStreamGone(error: unknown): boolean {
  return isRedisError(error, 'NOGROUP') || isRedisError(error, 'UNBLOCKED');
}

function isRedisError(error: unknown, code: string): boolean {
  return error instanceof Error && error.message.startsWith(code);
}

function toEntries(entries: z.infer<typeof entriesSchema>): StreamEntry[] {
  return entries.flatMap((pair) => {
    if (pair === null) return [];
    const [id, fields] = pair;
    const pairs = (fields ?? []).flatMap((name, place, all) =>
      place % 2 === 0 ? [[name, all[place + 1] ?? '']] : [],
    );
    const record: unknown = Object.fromEntries(pairs);
    return [{ id, entry: resultEntrySchema.safeParse(record).data, text: JSON.stringify(record) }];
  });
}
