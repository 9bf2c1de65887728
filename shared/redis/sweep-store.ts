import { randomUUID } from 'node:crypto';
import type { RedisClient } from './connection.ts';
import { z } from 'zod';
import {
  type Cap,
  capSchema,
  type LiveSweep,
  liveSweepSchema,
  type SweepStatus,
  sweepStatusSchema,
} from '../schemas/live-sweep.ts';
import type { MonitorUse } from '../schemas/run-result.ts';
import { nanoMoney, type Spend } from '../core/spend.ts';
import type { Keys } from './keys.ts';
import {
  bookSpendScript,
  recountScript,
  releaseScript as releaseSpendScript,
  reserveScript,
} from './spend-scripts.ts';
import { leaseScript, releaseScript, sendScript, settleScript } from './sweep-scripts.ts';

/** How long a lease outlives its holder. */
export const LEASE_MS = 10_000;
export const METRICS_GROUP = 'metrics';

export type LeaseName = 'metrics' | 'feeder';

const reservedSchema = z.enum(['reserved', 'wait', 'capped', 'refused', 'done']);

/** What a batch of results came to. */
export interface SettledBatch {
  readonly places: readonly number[];
  readonly entries: readonly string[];
  /** What all runs on disk came to, these included. */
  readonly spent?: Spend;
}

/** The keys of sweeps. */
export class SweepStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Makes a sweep known to workers, or known again: its status becomes `running`. */
  async announce(sweep: LiveSweep): Promise<void> {
    const keys = this.#keys.sweep(sweep.id);
    const { maxCost, maxTokens, maxRuns } = sweep.spec.limits;
    const caps = { maxMoney: maxCost === undefined ? undefined : nanoMoney(maxCost), maxTokens, maxRuns };
    const isSet = (cap: [string, number | undefined]): cap is [string, number] => cap[1] !== undefined;
    // Caps stand beside the status, not in the workers' copy of the spec: a raised one holds for all at once.
    await this.#redis
      .multi()
      .set(keys.spec, JSON.stringify(liveSweepSchema.parse(sweep)))
      .hdel(keys.state, 'ready', 'cap', ...Object.keys(caps))
      .hset(keys.state, {
        status: 'running',
        announced: randomUUID(),
        ...Object.fromEntries(Object.entries(caps).filter(isSet)),
      })
      .exec();
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

  /** Its status, and a word that is another after each announcement: what was read of the spec before is old then. */
  async look(sweep: string): Promise<{ status: SweepStatus; announced: string } | undefined> {
    const [status, announced] = await this.#redis.hmget(this.#keys.sweep(sweep).state, 'status', 'announced');
    if (status == null) return undefined;
    return { status: sweepStatusSchema.parse(status), announced: announced ?? '' };
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

  /**
   * Tells the metrics worker that a run is committed; `bytes` is what stands in Redis of it.
   *
   * @returns the committed bytes that are not on disk yet, these included
   */
  async send(sweep: string, entry: { place: number; epoch: number; bytes: number }): Promise<number> {
    const keys = this.#keys.sweep(sweep);
    const reply = await sendScript.run(
      this.#redis,
      [keys.results, keys.backlogBytes],
      [entry.place, entry.epoch, entry.bytes],
    );
    return Number(reply[1]);
  }

  /** Marks places and drops entries, if the lease is still held; false if it is not. */
  async settle(sweep: string, leaseToken: string, batch: SettledBatch): Promise<boolean> {
    const keys = this.#keys.sweep(sweep);
    const { places, entries, spent } = batch;
    const reply = await settleScript.run(
      this.#redis,
      [keys.metricsLease, keys.done, keys.spend, keys.openSpend, keys.results, keys.backlogBytes],
      [
        ...[leaseToken, METRICS_GROUP],
        ...(spent ? [nanoMoney(spent.money), spent.tokens, spent.runs] : ['', '', '']),
        ...[places.length, ...places, ...entries],
      ],
    );
    return reply[0] === 'settled';
  }

  /** Sets what is spent to what the file says, and frees what runs that are on disk had reserved; false without the lease. */
  async recount(sweep: string, leaseToken: string, spent: Spend): Promise<boolean> {
    const keys = this.#keys.sweep(sweep);
    const reply = await recountScript.run(
      this.#redis,
      [keys.metricsLease, keys.done, keys.spend, keys.openSpend],
      [leaseToken, nanoMoney(spent.money), spent.tokens, spent.runs],
    );
    return reply[0] === 'recounted';
  }

  /**
   * Reserves what a run may come to at most, in place of what an earlier epoch of it had reserved. `wait`: it does not
   * fit beside the runs under way, whose ends may leave room. `capped`: it does not fit at all, and the sweep is capped
   * now. `refused`: the sweep is not running. `done`: the run is on disk.
   *
   * @param run.isUnderWay - it goes on whatever the caps say
   */
  async reserve(
    sweep: string,
    run: { place: number; money: number; tokens: number; isUnderWay: boolean },
  ): Promise<'reserved' | 'wait' | 'capped' | 'refused' | 'done'> {
    const keys = this.#keys.sweep(sweep);
    const reply = await reserveScript.run(
      this.#redis,
      [keys.state, keys.done, keys.spend, keys.openSpend],
      [run.place, nanoMoney(run.money), run.tokens, run.isUnderWay ? 1 : 0],
    );
    return reservedSchema.parse(reply[0]);
  }

  /** The run is not under way any more, and not on disk. */
  async releaseSpend(sweep: string, place: number): Promise<void> {
    const keys = this.#keys.sweep(sweep);
    await releaseSpendScript.run(this.#redis, [keys.spend, keys.openSpend], [place]);
  }

  /** Adds what a monitor call came to, as it was made: the run's line will hold it, and takes its place then. */
  async bookSpend(sweep: string, place: number, spent: Omit<Spend, 'runs'>): Promise<void> {
    const keys = this.#keys.sweep(sweep);
    await bookSpendScript.run(
      this.#redis,
      [keys.done, keys.spend, keys.openSpend],
      [place, nanoMoney(spent.money), spent.tokens],
    );
  }

  /** What is spent: of runs on disk and monitor calls that came later; and what runs under way have reserved. */
  async spend(sweep: string): Promise<{ spent: Spend; open: Spend }> {
    const keys = this.#keys.sweep(sweep);
    const [fields, runs] = await Promise.all([
      this.#redis.hgetall(keys.spend),
      this.#redis.hlen(keys.openSpend),
    ]);
    const of = (field: string): number => Number(fields[field] ?? 0);
    return {
      spent: {
        money: (of('money') + of('lateMoney')) / 1e9,
        tokens: of('tokens') + of('lateTokens'),
        runs: of('runs'),
      },
      open: { money: of('openMoney') / 1e9, tokens: of('openTokens'), runs },
    };
  }

  /** Stops the sweep for a cap, if it is running: no run starts, those under way end. */
  async setCapped(sweep: string, cap: Cap): Promise<void> {
    if ((await this.status(sweep)) !== 'running') return;
    await this.#redis.hset(this.#keys.sweep(sweep).state, { status: 'capped', cap });
  }

  /** What capped the sweep, if it is. */
  async cap(sweep: string): Promise<Cap | undefined> {
    const cap = await this.#redis.hget(this.#keys.sweep(sweep).state, 'cap');
    return cap === null ? undefined : capSchema.parse(cap);
  }

  async backlogBytes(sweep: string): Promise<number> {
    return Number((await this.#redis.get(this.#keys.sweep(sweep).backlogBytes)) ?? 0);
  }

  /** Results that the metrics worker has not settled yet. */
  async countSent(sweep: string): Promise<number> {
    return this.#redis.xlen(this.#keys.sweep(sweep).results);
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
