import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { commandPath } from './package-root.ts';

export const workerKinds = ['generation', 'monitor', 'metrics'] as const;
export type WorkerKind = (typeof workerKinds)[number];

export interface WorkerFleetOptions {
  readonly counts: Readonly<Record<WorkerKind, number>>;
  /** The environment of the processes: Redis, results folder, API keys. */
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Called when a worker ends so soon and so often that starting it again is no use. */
  readonly onBroken: (kind: WorkerKind) => void;
}

/**
 * What a worker allocates for a step is soon of no use: with room for more of it, it is gone before anybody looks. In MB a
 * half; the default of 16 cost workers a twelfth more CPU in a replay of labelled chains.
 */
const nodeFlags = ['--max-semi-space-size=32'];
const RESTART_MS = 1_000;
/** One that lived this long had started well. */
const STARTED_WELL_MS = 10_000;
const MAX_FAILED_STARTS = 3;

/**
 * The worker processes of one command: each `haltline worker KIND`, started again when it dies, ended with the parent
 * (by the IPC channel, however the parent dies). States: running, stopping.
 */
export class WorkerFleet {
  readonly #options: WorkerFleetOptions;
  readonly #children = new Map<WorkerKind, Set<ChildProcess>>();
  #isStopping = false;

  constructor(options: WorkerFleetOptions) {
    this.#options = options;
    for (const kind of workerKinds) {
      this.#children.set(kind, new Set());
      for (let index = 0; index < options.counts[kind]; index += 1) this.#start(kind, 0);
    }
  }

  /**
   * Ends the workers: first those that make results, then those that write them to disk. One that has not ended when
   * its time is over is killed; its runs are taken over by others, or by the next start.
   */
  async stop({ withinMs }: { withinMs: number }): Promise<void> {
    this.#isStopping = true;
    const deadline = performance.now() + withinMs;
    const left = (): number => Math.max(0, deadline - performance.now());
    // The metrics worker keeps a moment of its own: what was committed last goes to disk.
    await this.#end(['generation', 'monitor'], left() * 0.85);
    await this.#end(['metrics'], left());
  }

  /** Ends them at once. */
  kill(): void {
    this.#isStopping = true;
    for (const child of this.#of(workerKinds)) child.kill('SIGKILL');
  }

  #of(kinds: readonly WorkerKind[]): ChildProcess[] {
    return kinds.flatMap((kind) => [...(this.#children.get(kind) ?? [])]);
  }

  async #end(kinds: readonly WorkerKind[], withinMs: number): Promise<void> {
    const children = this.#of(kinds);
    const ended = Promise.all(children.map((child) => once(child, 'exit')));
    for (const child of children) child.kill('SIGTERM');
    const timer = new AbortController();
    const late = sleep(withinMs, 'late', { signal: timer.signal }).catch(() => undefined);
    if ((await Promise.race([ended, late])) === 'late')
      for (const child of this.#of(kinds)) child.kill('SIGKILL');
    timer.abort();
    await ended;
  }

  #start(kind: WorkerKind, failedStarts: number): void {
    const { env, log, onBroken } = this.#options;
    const startedAtMs = performance.now();
    const child = fork(commandPath(), ['worker', kind], {
      // One port can't serve them all.
      env: { ...env, HALTLINE_HEALTH_PORT: '' },
      execArgv: nodeFlags,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#children.get(kind)?.add(child);
    child.on('error', (err) =>
      log.error({ event: 'worker-unstartable', kind, err }, 'a worker process failed'),
    );
    child.on('exit', (code, signal) => {
      this.#children.get(kind)?.delete(child);
      if (this.#isStopping) return;
      const failures =
        performance.now() - startedAtMs < STARTED_WELL_MS && code !== null ? failedStarts + 1 : 0;
      log.warn({ event: 'worker-died', kind, code, signal }, 'a worker process died and is started again');
      if (failures >= MAX_FAILED_STARTS) {
        onBroken(kind);
        return;
      }
      setTimeout(() => {
        if (!this.#isStopping) this.#start(kind, failures);
      }, RESTART_MS);
    });
  }
}
