import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { createRedis, type RedisClient, redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { createKeys } from '../../shared/redis/keys.ts';
import { type HaltlineProcess, startHaltline } from '../start-haltline.ts';
import { type Hold, holdsOf, type LoggedProcess, lostOf, type Woken } from './frozen-work.ts';
import { cutConnections, fillRedis } from './redis-strikes.ts';
import type { FreezableKind, ProcessKind, Strike } from './strikes.ts';
import type { RestartableRedis } from '../restartable-redis.ts';

export interface FleetOptions {
  readonly redis: RestartableRedis;
  readonly prefix: string;
  readonly specPath: string;
  /** Holds the logs of the processes. */
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where each metrics worker serves its figures. */
  readonly metricsPorts: readonly number[];
  readonly onNote: (note: string) => void;
}

interface Slot {
  readonly kind: ProcessKind;
  readonly index: number;
  process: HaltlineProcess;
  isFrozen: boolean;
  /** Just woken, it is left alone until it has heard what became of its work. */
  isSpared: boolean;
}

const RESTART_MS = 300;
/** Longer than a worker takes to find out that its lock is lost: half the lock, and a reconnection. */
const SPARE_MS = 8_000;
const WORKERS: Readonly<Record<FreezableKind, number>> = { generation: 2, monitor: 2, metrics: 2 };

/**
 * The processes of a sweep, each started again when it ends, until the producer has ended well. Every strike comes as
 * it would in life: nobody is told.
 */
export class ChaosFleet {
  /** The summary that the producer printed. */
  readonly finished: Promise<string>;
  readonly strikes: Record<string, number> = {};
  /** Which processes ended by themselves, and how. */
  readonly unexpectedExits: string[] = [];
  #finish: (stdout: string) => void = () => undefined;
  readonly #options: FleetOptions;
  readonly #slots: Slot[] = [];
  readonly #client: RedisClient;
  readonly #freezes: Promise<Woken>[] = [];
  readonly #thawing = new AbortController();
  #isOver = false;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#client = createRedis(redisOptionsFromUrl(options.redis.url), 'commands');
    this.finished = new Promise((resolve) => (this.#finish = resolve));
    for (const kind of ['metrics', 'generation', 'monitor'] as const)
      for (let index = 0; index < WORKERS[kind]; index += 1) this.#open(kind, index);
    this.#open('producer', 0);
  }

  /** @returns false when the strike found nobody to strike at */
  async strike(strike: Strike): Promise<boolean> {
    const name = 'kind' in strike ? `${strike.type} ${strike.kind}` : strike.type;
    const { redis } = this.#options;
    if (strike.type === 'kill-redis') await redis.killAndRestart();
    else if (strike.type === 'cut-connections') await cutConnections(redis.url);
    else if (strike.type === 'fill-redis') await fillRedis(redis.url);
    else if (strike.type === 'kill') {
      if (!this.#kill(strike.kind)) return false;
    } else if (!this.#freeze(strike.kind, strike.forMs)) return false;
    this.strikes[name] = (this.strikes[name] ?? 0) + 1;
    return true;
  }

  /** Wakes all that are frozen. */
  thaw(): void {
    this.#thawing.abort();
  }

  /** All that were frozen, once each has had time to hear what became of its work. */
  async woken(): Promise<Woken[]> {
    return Promise.all(this.#freezes);
  }

  /** Ends everything at once. */
  kill(): void {
    this.#isOver = true;
    this.#client.disconnect();
    for (const slot of this.#slots) slot.process.kill('SIGKILL');
  }

  #open(kind: ProcessKind, index: number): void {
    const slot: Slot = { kind, index, process: this.#start(kind, index), isFrozen: false, isSpared: false };
    this.#slots.push(slot);
    this.#watch(slot);
  }

  #start(kind: ProcessKind, index: number): HaltlineProcess {
    const { specPath, dir, env, metricsPorts } = this.#options;
    const args = kind === 'producer' ? ['run', specPath, '--no-workers', '--json'] : ['worker', kind];
    const port = String(kind === 'metrics' ? metricsPorts[index] : 0);
    return startHaltline(
      args,
      { ...env, HALTLINE_METRICS_PORT: port, HALTLINE_LOG_LEVEL: 'debug' },
      { logFile: logFileOf(dir, { kind, index }) },
    );
  }

  #watch(slot: Slot): void {
    void slot.process.ended.then(async (how) => {
      if (this.#isOver) return;
      if (slot.kind === 'producer' && how === 0) {
        this.#finish(slot.process.stdout());
        return;
      }
      if (how !== 'SIGKILL') {
        this.unexpectedExits.push(`${slot.kind} ${slot.index} with ${how}`);
        this.#options.onNote(`${slot.kind} ${slot.index} ended with ${how} and is started again`);
      }
      await sleep(RESTART_MS);
      this.#replace(slot);
    });
  }

  #replace(slot: Slot): void {
    if (this.#isOver) return;
    slot.process = this.#start(slot.kind, slot.index);
    this.#watch(slot);
  }

  /** Strikes take turns between the processes of a kind, one that is frozen or just woken left alone. */
  #pick(kind: ProcessKind): Slot | undefined {
    const able = this.#slots.filter((slot) => slot.kind === kind && !slot.isFrozen && !slot.isSpared);
    return able[(this.strikes[`kill ${kind}`] ?? 0) % Math.max(1, able.length)];
  }

  #kill(kind: ProcessKind): boolean {
    const slot = this.#pick(kind);
    slot?.process.kill('SIGKILL');
    return slot !== undefined;
  }

  #freeze(kind: FreezableKind, forMs: number): boolean {
    const isOneFrozen = this.#slots.some((slot) => slot.kind === kind && slot.isFrozen);
    const slot = this.#pick(kind);
    const pid = slot?.process.child.pid;
    if (isOneFrozen || !slot || pid === undefined) return false;
    slot.isFrozen = true;
    slot.process.kill('SIGSTOP');
    const frozen = { kind, pid, logFile: logFileOf(this.#options.dir, slot) };
    const woken = this.#sleepAndWake(slot, frozen, forMs);
    // Heard by who asks for the woken; of a sweep that was given up nobody does.
    woken.catch(() => undefined);
    this.#freezes.push(woken);
    return true;
  }

  async #sleepAndWake(slot: Slot, frozen: LoggedProcess, forMs: number): Promise<Woken> {
    const keys = createKeys(this.#options.prefix);
    const slept = sleep(forMs, undefined, { signal: this.#thawing.signal }).catch(() => undefined);
    const holds: Hold[] = await holdsOf(this.#client, keys, frozen);
    await slept;
    const lost = await lostOf(this.#client, frozen.kind, holds);
    const wokenAtMs = Date.now();
    slot.isSpared = true;
    slot.isFrozen = false;
    slot.process.kill('SIGCONT');
    await sleep(SPARE_MS);
    slot.isSpared = false;
    return { ...frozen, wokenAtMs, held: holds.length, ...lost };
  }
}

function logFileOf(dir: string, { kind, index }: { kind: ProcessKind; index: number }): string {
  return join(dir, `${kind}-${index}.log`);
}
