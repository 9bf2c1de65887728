import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { createRedis, redisOptionsFromUrl, type RedisClient } from '../../shared/redis/connection.ts';
import { createKeys } from '../../shared/redis/keys.ts';
import { PushReceiver } from '../../shared/redis/push-receiver.ts';
import { type EpochRef, RunStore } from '../../shared/redis/run-store.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { MESSAGE_VERSION, type WatchJob } from '../../shared/schemas/job.ts';
import type { LiveSweep } from '../../shared/schemas/live-sweep.ts';
import type { Push } from '../../shared/schemas/push.ts';
import type { Step } from '../../shared/schemas/step.ts';
import { cpuMs } from './scale-out-cpu.ts';
import { buildScriptedChain } from '../scripted-chain.ts';

export const STEPS = 50;
/** A chain's watch is asked for so long before its first step, as a run asks for it before its request. */
const AHEAD_MS = 1_000;

/** What happened while it was measured. */
export interface Measured {
  readonly seconds: number;
  readonly published: number;
  readonly judged: number;
  /** From the publishing of a step to its verdict, ms, ascending. */
  readonly latencies: readonly number[];
  /** Of Redis, a judged step. */
  readonly redisBytes: number;
  readonly redisMicroseconds: number;
  /** CPU ms a judged step, by who used it. */
  readonly cpu: Readonly<Record<string, number>>;
  /** The fewest and the most chains that one monitor watched. */
  readonly watched: readonly number[];
}

/**
 * Publishes chains and hears their verdicts, in the place of generation workers: nothing else between a step and its
 * verdict is measured.
 */
export class ChainDriver {
  readonly #redis: RedisClient;
  readonly #sweep: LiveSweep;
  readonly #store: RunStore;
  readonly #sweeps: SweepStore;
  readonly #watches: Queue<WatchJob>;
  readonly #receiver: PushReceiver;
  readonly #id: string;
  readonly #watchers = new Map<string, number>();
  /** Processes whose CPU time is told, by what they are. */
  readonly processes: Record<string, readonly number[]> = { driver: [process.pid] };
  #places = 0;
  #isOver = false;
  #isMeasuring = false;
  #published = 0;
  #judged = 0;
  #latencies: number[] = [];

  private constructor(
    redis: RedisClient,
    parts: { sweep: LiveSweep; prefix: string; id: string; receiver: PushReceiver },
  ) {
    const keys = createKeys(parts.prefix);
    this.#redis = redis;
    this.#sweep = parts.sweep;
    this.#store = new RunStore(redis, keys);
    this.#sweeps = new SweepStore(redis, keys);
    this.#watches = new Queue(keys.monitorQueue, { connection: redis, prefix: keys.queuePrefix });
    this.#receiver = parts.receiver;
    this.#id = parts.id;
  }

  static async create(redisUrl: string, prefix: string, sweep: LiveSweep): Promise<ChainDriver> {
    const options = redisOptionsFromUrl(redisUrl);
    const id = `driver-${randomUUID().slice(0, 8)}`;
    const channel = createKeys(prefix).channel(id);
    const receiver = await PushReceiver.create(createRedis(options, 'subscriber'), channel);
    const driver = new ChainDriver(createRedis(options, 'commands'), { sweep, prefix, id, receiver });
    await driver.#sweeps.announce(sweep);
    return driver;
  }

  /** Steps at a steady pace, judged or not: `rate` a second over `chains` chains at a time. */
  async offer(load: {
    chains: number;
    rate: number;
    warmUpMs: number;
    measureMs: number;
  }): Promise<Measured> {
    const { chains, rate, warmUpMs, measureMs } = load;
    const everyMs = (1_000 * chains) / rate;
    const startMs = performance.now() + AHEAD_MS;
    // Lanes begin spread over the length of a chain, so that chains do not all begin at once.
    const lanes = Array.from({ length: chains }, (_, lane) =>
      this.#pace(startMs + (lane * everyMs * STEPS) / chains, everyMs),
    );
    await sleep(AHEAD_MS + everyMs * STEPS + warmUpMs);
    const measured = await this.#measure(measureMs);
    await this.#end(lanes);
    return measured;
  }

  /** Whole chains at once, the next as soon as one is judged: as many steps as monitors can take. */
  async saturate(load: { chains: number; warmUpMs: number; measureMs: number }): Promise<Measured> {
    const lanes = Array.from({ length: load.chains }, () => this.#chase());
    await sleep(load.warmUpMs);
    const measured = await this.#measure(load.measureMs);
    await this.#end(lanes);
    return measured;
  }

  async close(): Promise<void> {
    await this.#watches.close();
    await this.#receiver.close();
    this.#redis.disconnect();
  }

  #hasEnded(): boolean {
    return this.#isOver;
  }

  async #end(lanes: readonly Promise<void>[]): Promise<void> {
    this.#isOver = true;
    await Promise.all(lanes);
  }

  async #measure(forMs: number): Promise<Measured> {
    const before = await redisUse(this.#redis);
    const cpuBefore = await this.#cpu();
    this.#published = 0;
    this.#judged = 0;
    this.#latencies = [];
    this.#watchers.clear();
    this.#isMeasuring = true;
    const startedAtMs = performance.now();
    await sleep(forMs);
    const seconds = (performance.now() - startedAtMs) / 1_000;
    this.#isMeasuring = false;
    const after = await redisUse(this.#redis);
    const cpuAfter = await this.#cpu();
    const judged = this.#judged;
    return {
      ...{ seconds, published: this.#published, judged },
      latencies: this.#latencies.toSorted((a, b) => a - b),
      redisBytes: (after.bytes - before.bytes) / judged,
      redisMicroseconds: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / judged,
      cpu: Object.fromEntries(
        Object.entries(cpuAfter).map(([name, ms]) => [name, (ms - (cpuBefore[name] ?? 0)) / judged]),
      ),
      watched: [...this.#watchers.values()].sort((a, b) => a - b),
    };
  }

  async #cpu(): Promise<Record<string, number>> {
    const used: Record<string, number> = {};
    for (const [name, pids] of Object.entries(this.processes)) used[name] = await cpuMs(pids);
    return used;
  }

  async #pace(firstAtMs: number, everyMs: number): Promise<void> {
    const open: Promise<void>[] = [];
    for (let chain = 0; !this.#hasEnded(); chain += 1) {
      const atMs = firstAtMs + chain * STEPS * everyMs;
      await until(atMs - AHEAD_MS);
      const run = await this.#open();
      for (const step of stepsOf(run.epoch.place)) {
        await until(atMs + step.index * everyMs);
        if (this.#hasEnded()) break;
        await this.#publish(run, [step]);
      }
      open.push(this.#close(run));
    }
    await Promise.all(open);
  }

  async #chase(): Promise<void> {
    while (!this.#hasEnded()) {
      const run = await this.#open();
      await this.#publish(run, stepsOf(run.epoch.place));
      await this.#close(run);
    }
  }

  async #open(): Promise<DrivenRun> {
    const { id } = this.#sweep;
    const place = this.#places;
    this.#places += 1;
    const token = randomUUID();
    const problem = { query: 'What is kept where?', asksForSteps: true };
    const run = { sweep: id, place };
    const started = await this.#store.start(run, { token, generator: this.#id, problem });
    if ('result' in started) throw new Error(`run ${place} is committed already`);
    const epoch = { ...run, epoch: started.epoch, token };
    const driven = new DrivenRun(epoch, (ms) => this.#onJudged(ms));
    driven.stop = this.#receiver.listen(epoch, {
      onPush: (push) => this.#onPush(driven, push),
      onGap: () => undefined,
    });
    const monitor = this.#sweep.spec.monitors[0]?.id ?? '';
    const data: WatchJob = { v: MESSAGE_VERSION, sweep: id, place, epoch: epoch.epoch, token, monitor };
    await this.#watches.add('watch', data, { removeOnComplete: true, removeOnFail: true, attempts: 1_000 });
    return driven;
  }

  #onPush(run: DrivenRun, push: Push): void {
    if (push.type === 'watch-started' && this.#isMeasuring)
      this.#watchers.set(push.watcher, (this.#watchers.get(push.watcher) ?? 0) + 1);
    for (const verdict of push.type === 'verdicts-issued' ? push.verdicts : []) {
      if (verdict.status !== 'judged') throw new Error(`a step got no verdict: ${verdict.reason}`);
      run.judged(verdict.stepIndex);
    }
  }

  #onJudged(ms: number): void {
    if (!this.#isMeasuring) return;
    this.#judged += 1;
    this.#latencies.push(ms);
  }

  async #publish(run: DrivenRun, steps: readonly Step[]): Promise<void> {
    for (const { index } of steps) run.publishedAtMs.set(index, performance.now());
    run.published += steps.length;
    if (this.#isMeasuring) this.#published += steps.length;
    const refused = await this.#store.publish(run.epoch, steps);
    if (refused) throw new Error(`steps of run ${run.epoch.place} were refused: ${refused.refused}`);
  }

  async #close(run: DrivenRun): Promise<void> {
    await this.#store.end(run.epoch, run.published);
    await run.allJudged();
    run.stop();
    await this.#store.delete(run.epoch);
  }
}

class DrivenRun {
  readonly epoch: EpochRef;
  readonly publishedAtMs = new Map<number, number>();
  published = 0;
  stop: () => void = () => undefined;
  readonly #onJudged: (ms: number) => void;
  #onAll: (() => void) | undefined;

  constructor(epoch: EpochRef, onJudged: (ms: number) => void) {
    this.epoch = epoch;
    this.#onJudged = onJudged;
  }

  judged(stepIndex: number): void {
    const publishedAtMs = this.publishedAtMs.get(stepIndex);
    if (publishedAtMs === undefined) return;
    this.publishedAtMs.delete(stepIndex);
    this.#onJudged(performance.now() - publishedAtMs);
    if (this.publishedAtMs.size === 0) this.#onAll?.();
  }

  async allJudged(): Promise<void> {
    if (this.publishedAtMs.size > 0) await new Promise<void>((resolve) => (this.#onAll = resolve));
  }
}

function stepsOf(place: number): Step[] {
  const { steps } = buildScriptedChain(`scale-out/${place}`, { length: STEPS });
  return steps.map((text, index) => ({ index, channel: 'reasoning', text, tokens: 20, endedAtMs: 0 }));
}

async function until(atMs: number): Promise<void> {
  const left = atMs - performance.now();
  if (left > 0) await sleep(left);
}

async function redisUse(redis: RedisClient): Promise<{ bytes: number; cpuSeconds: number }> {
  const [stats, cpu] = [await redis.info('stats'), await redis.info('cpu')];
  const read = (text: string, name: string): number =>
    Number(new RegExp(`^${name}:(\\S+)`, 'm').exec(text)?.[1]);
  return {
    bytes: read(stats, 'total_net_input_bytes') + read(stats, 'total_net_output_bytes'),
    cpuSeconds: read(cpu, 'used_cpu_user') + read(cpu, 'used_cpu_sys'),
  };
}
