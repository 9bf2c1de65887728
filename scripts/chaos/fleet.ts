import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { type HaltlineProcess, startHaltline } from '../start-haltline.ts';
import { cutConnections, fillRedis } from './redis-strikes.ts';
import type { FreezableKind, ProcessKind, Strike } from './strikes.ts';
import type { RestartableRedis } from '../restartable-redis.ts';

export interface FleetOptions {
  readonly redis: RestartableRedis;
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
}

const RESTART_MS = 300;
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
  #isOver = false;

  constructor(options: FleetOptions) {
    this.#options = options;
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
    else if (strike.type === 'kill') this.#pick(strike.kind)?.process.kill('SIGKILL');
    else if (!this.#freeze(strike.kind, strike.forMs)) return false;
    this.strikes[name] = (this.strikes[name] ?? 0) + 1;
    return true;
  }

  /** Wakes all that are frozen. */
  thaw(): void {
    for (const slot of this.#slots) this.#wake(slot);
  }

  /** Ends everything at once. */
  kill(): void {
    this.#isOver = true;
    for (const slot of this.#slots) slot.process.kill('SIGKILL');
  }

  #open(kind: ProcessKind, index: number): void {
    const slot: Slot = { kind, index, process: this.#start(kind, index), isFrozen: false };
    this.#slots.push(slot);
    this.#watch(slot);
  }

  #start(kind: ProcessKind, index: number): HaltlineProcess {
    const { specPath, dir, env, metricsPorts } = this.#options;
    const args = kind === 'producer' ? ['run', specPath, '--no-workers', '--json'] : ['worker', kind];
    const port = String(kind === 'metrics' ? metricsPorts[index] : 0);
    const logFile = join(dir, `${kind}-${index}.log`);
    return startHaltline(args, { ...env, HALTLINE_METRICS_PORT: port }, { logFile });
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
      slot.isFrozen = false;
      await sleep(RESTART_MS);
      this.#replace(slot);
    });
  }

  #replace(slot: Slot): void {
    if (this.#isOver) return;
    slot.process = this.#start(slot.kind, slot.index);
    this.#watch(slot);
  }

  /** Kills take turns between the processes of a kind, the frozen one left alone. */
  #pick(kind: ProcessKind): Slot | undefined {
    const able = this.#slots.filter((slot) => slot.kind === kind && !slot.isFrozen);
    return able[(this.strikes[`kill ${kind}`] ?? 0) % Math.max(1, able.length)];
  }

  #freeze(kind: FreezableKind, forMs: number): boolean {
    const isOneFrozen = this.#slots.some((slot) => slot.kind === kind && slot.isFrozen);
    const slot = this.#pick(kind);
    if (isOneFrozen || !slot) return false;
    slot.isFrozen = true;
    slot.process.kill('SIGSTOP');
    setTimeout(() => this.#wake(slot), forMs);
    return true;
  }

  #wake(slot: Slot): void {
    if (!slot.isFrozen) return;
    slot.isFrozen = false;
    slot.process.kill('SIGCONT');
  }
}
