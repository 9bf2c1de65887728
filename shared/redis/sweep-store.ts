import type { Redis } from 'ioredis';
import {
  type LiveSweep,
  liveSweepSchema,
  type SweepStatus,
  sweepStatusSchema,
} from '../schemas/live-sweep.ts';
import type { MonitorUse } from '../schemas/run-result.ts';
import type { Keys } from './keys.ts';
import { leaseScript, releaseScript, sendScript, settleScript } from './sweep-scripts.ts';

/** How long a lease outlives its holder. */
export const LEASE_MS = 10_000;
export const METRICS_GROUP = 'metrics';

export type LeaseName = 'metrics' | 'feeder';

/** The keys of sweeps. */
export class SweepStore {
  readonly #redis: Redis;
  readonly #keys: Keys;

  constructor(redis: Redis, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Makes a sweep known to workers, or known again: its status becomes `running`. */
  async announce(sweep: LiveSweep): Promise<void> {
    const keys = this.#keys.sweep(sweep.id);
    await this.#redis.set(keys.spec, JSON.stringify(liveSweepSchema.parse(sweep)));
    await this.#redis.hset(keys.state, { status: 'running' });
    await this.#redis.hdel(keys.state, 'ready');
    await this.#redis.sadd(this.#keys.liveSweeps, sweep.id);
  }

  /** Workers stop serving the sweep; its marks and state stay until `remove`. */
  async retire(sweep: string): Promise<void> {
    await this.#redis.srem(this.#keys.liveSweeps, sweep);
  }

  /** Deletes every key of the sweep itself. */
  async remove(sweep: string): Promise<void> {
    await this.retire(sweep);
    await this.#redis.unlink(...Object.values<string>({ ...this.#keys.sweep(sweep) }));
  }

  async liveSweeps(): Promise<string[]> {
    return (await this.#redis.smembers(this.#keys.liveSweeps)).sort();
  }

  async read(sweep: string): Promise<LiveSweep | undefined> {
    const text = await this.#redis.get(this.#keys.sweep(sweep).spec);
    return text === null ? undefined : liveSweepSchema.parse(JSON.parse(text));
  }

  async status(sweep: string): Promise<SweepStatus | undefined> {
    const status = await this.#redis.hget(this.#keys.sweep(sweep).state, 'status');
    return status === null ? undefined : sweepStatusSchema.parse(status);
  }

  async setStatus(sweep: string, status: SweepStatus): Promise<void> {
    await this.#redis.hset(this.#keys.sweep(sweep).state, { status });
  }

  /** The holder of the metrics lease says that the marks in Redis are those of the file: the feeder may start. */
  async setReady(sweep: string, leaseToken: string): Promise<void> {
    await this.#redis.hset(this.#keys.sweep(sweep).state, { ready: leaseToken });
  }

  /** Whether the present holder of the metrics lease has said that it is ready. */
  async isReady(sweep: string): Promise<boolean> {
    const keys = this.#keys.sweep(sweep);
    const [holder, ready] = await Promise.all([
      this.#redis.get(keys.metricsLease),
      this.#redis.hget(keys.state, 'ready'),
    ]);
    return holder !== null && holder === ready;
  }

  /** Why a metrics worker left the sweep alone, if one did. */
  async setRefusal(sweep: string, reason: string): Promise<void> {
    await this.#redis.hset(this.#keys.sweep(sweep).state, { refusal: reason });
  }

  async refusal(sweep: string): Promise<string | undefined> {
    return (await this.#redis.hget(this.#keys.sweep(sweep).state, 'refusal')) ?? undefined;
  }

  async clearRefusal(sweep: string): Promise<void> {
    await this.#redis.hdel(this.#keys.sweep(sweep).state, 'refusal');
  }

  /** Takes or renews a lease; false when another holds it. */
  async hold(sweep: string, lease: LeaseName, token: string): Promise<boolean> {
    return (await leaseScript.run(this.#redis, [this.#lease(sweep, lease)], [token, LEASE_MS]))[0] === 'held';
  }

  async release(sweep: string, lease: LeaseName, token: string): Promise<void> {
    await releaseScript.run(this.#redis, [this.#lease(sweep, lease)], [token]);
  }

  #lease(sweep: string, lease: LeaseName): string {
    const keys = this.#keys.sweep(sweep);
    return lease === 'metrics' ? keys.metricsLease : keys.feederLease;
  }

  async isDone(sweep: string, place: number): Promise<boolean> {
    return (await this.#redis.getbit(this.#keys.sweep(sweep).done, place)) === 1;
  }

  async countDone(sweep: string): Promise<number> {
    return this.#redis.bitcount(this.#keys.sweep(sweep).done);
  }

  /** The done marks of places [from, from + 8 × bytes): a bit a place, highest bit first. `from` is a multiple of 8. */
  async readDone(sweep: string, from: number, bytes: number): Promise<Uint8Array> {
    const marks = new Uint8Array(bytes);
    const start = from / 8;
    const stored = await this.#redis.getrangeBuffer(this.#keys.sweep(sweep).done, start, start + bytes - 1);
    marks.set(stored);
    return marks;
  }

  /** Replaces all done marks (a bit a place, highest bit first). */
  async writeDone(sweep: string, marks: Uint8Array): Promise<void> {
    const key = this.#keys.sweep(sweep).done;
    if (marks.length === 0) await this.#redis.del(key);
    else await this.#redis.set(key, Buffer.from(marks));
  }

  /** Tells the metrics worker that a run is committed; `bytes` is what stands in Redis of it. */
  async send(sweep: string, entry: { place: number; epoch: number; bytes: number }): Promise<void> {
    const keys = this.#keys.sweep(sweep);
    await sendScript.run(
      this.#redis,
      [keys.results, keys.backlogBytes],
      [entry.place, entry.epoch, entry.bytes],
    );
  }

  /** Marks places and drops entries, if the lease is still held; false if it is not. */
  async settle(
    sweep: string,
    leaseToken: string,
    batch: { places: readonly number[]; entries: readonly string[] },
  ): Promise<boolean> {
    const keys = this.#keys.sweep(sweep);
    const reply = await settleScript.run(
      this.#redis,
      [keys.metricsLease, keys.done, keys.results, keys.backlogBytes],
      [leaseToken, METRICS_GROUP, batch.places.length, ...batch.places, ...batch.entries],
    );
    return reply[0] === 'settled';
  }

  async backlogBytes(sweep: string): Promise<number> {
    return Number((await this.#redis.get(this.#keys.sweep(sweep).backlogBytes)) ?? 0);
  }

  /** Monitor calls whose run was on disk already when they ended. */
  async bookLate(sweep: string, use: MonitorUse): Promise<void> {
    const key = this.#keys.sweep(sweep).lateUse;
    await Promise.all(Object.entries(use).map(([field, by]) => this.#redis.hincrby(key, field, by)));
  }

  /** What a run had received when its sweep was cancelled: spent, and on no line. */
  async bookCancelled(sweep: string, tokens: number): Promise<void> {
    await this.#redis.hincrby(this.#keys.sweep(sweep).lateUse, 'cancelledTokens', tokens);
  }

  /** Spending that stands on no line: late monitor calls, and `cancelledTokens`. */
  async lateUse(sweep: string): Promise<Record<string, number>> {
    const fields = await this.#redis.hgetall(this.#keys.sweep(sweep).lateUse);
    return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, Number(value)]));
  }
}
