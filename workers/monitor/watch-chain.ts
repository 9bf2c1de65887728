import type { PushReceiver } from '../../shared/redis/push-receiver.ts';
import type { EpochRef, RunStore } from '../../shared/redis/run-store.ts';
import type { Push } from '../../shared/schemas/push.ts';
import type { MonitorUse } from '../../shared/schemas/run-result.ts';
import type { Step } from '../../shared/schemas/step.ts';
import { isUnsafe, type Verdict } from '../../shared/schemas/verdict.ts';
import { Waker } from '../../shared/waker.ts';
import type { ChainMonitor, JudgeContext, Monitor } from './monitor.ts';

/** How long silence lasts before the truth is read, since a push may have been lost. */
const SILENCE_MS = 250;
/** Steps, and verdicts held that are checked for, in one look. */
const MAX_LOOK = 256;

export interface WatchContext {
  readonly store: RunStore;
  readonly receiver: PushReceiver;
  readonly watcher: string;
  readonly monitor: Monitor;
  readonly intervention: 'halt' | 'flag';
  /** Adds what a monitor call cost to the run's account. */
  readonly book: (use: MonitorUse) => void;
  /** Aborted when this worker gives the watch up: shutdown or a lost lock. */
  readonly signal: AbortSignal;
}

/**
 * `over`: nothing is left to judge, or the run is committed. `refused`: the epoch or the watch is another's, or gone.
 * `stopped`: the worker gave up; another may take over.
 */
export type WatchEnd = 'over' | 'refused' | 'stopped';

/**
 * Watches one epoch from its first step to its last, or to the first flagged one under `halt`. Steps are judged in
 * order, once each; a watch that takes over feeds its monitor the whole chain again and writes what is missing.
 *
 * A step is known by its own index, never by its place in a reply: pushes overtake replies.
 */
export async function watchChain(epoch: EpochRef, context: WatchContext): Promise<WatchEnd> {
  const watch = new Watch(epoch, context);
  return watch.run();
}

class Watch {
  readonly #epoch: EpochRef;
  readonly #context: WatchContext;
  readonly #waker = new Waker();
  readonly #arrived = new Map<number, Step>();
  /** Verdicts by step: those of this watch, and those that stood when it began. */
  readonly #verdicts = new Map<number, Verdict>();
  #unsent: Verdict[] = [];
  #next = 0;
  /** Judgements under way, by step: each can be called off. */
  readonly #calls = new Map<number, Call>();
  #ended: number | undefined;
  #flagged: number | undefined;
  #isCommitted = false;
  #isRefused = false;
  #hasGap = false;

  constructor(epoch: EpochRef, context: WatchContext) {
    this.#epoch = epoch;
    this.#context = context;
  }

  async run(): Promise<WatchEnd> {
    const { receiver, signal, store, watcher, monitor } = this.#context;
    const wake = (): void => this.#waker.wake();
    signal.addEventListener('abort', wake);
    const stopListening = receiver.listen(this.#epoch, {
      onPush: (push) => this.#onPush(push),
      onGap: () => {
        this.#hasGap = true;
        wake();
      },
    });
    try {
      const look = await store.watch(this.#epoch, watcher);
      if ('refused' in look) return 'refused';
      for (const verdict of look.verdicts) this.#keep(verdict);
      this.#adopt(look.steps, look.ended);
      return await this.#judgeAll(monitor.watch(look.problem));
    } finally {
      this.#callOffAfter(-1);
      stopListening();
      signal.removeEventListener('abort', wake);
    }
  }

  async #judgeAll(chain: ChainMonitor): Promise<WatchEnd> {
    for (;;) {
      if (this.#context.signal.aborted) return 'stopped';
      this.#judgeArrived(chain);
      await this.#send();
      if (this.#isRefused) return 'refused';
      if (this.#isCommitted || this.#isFinished) return 'over';
      if (this.#unsent.length > 0) continue;
      const woken = await this.#waker.wait(SILENCE_MS);
      if (!woken || this.#hasGap) await this.#lookAtTruth();
    }
  }

  #onPush(push: Push): void {
    if (push.type === 'steps-completed') this.#adopt(push.steps, push.ended);
    if (push.type === 'steps-ended') this.#ended = push.steps;
    if (push.type === 'run-committed') this.#isCommitted = true;
    this.#waker.wake();
  }

  #adopt(steps: readonly Step[], ended: number | undefined): void {
    for (const step of steps) if (step.index >= this.#next) this.#arrived.set(step.index, step);
    this.#ended = ended ?? this.#ended;
  }

  #judgeArrived(chain: ChainMonitor): void {
    for (;;) {
      const step = this.#arrived.get(this.#next);
      if (!step || this.#isHalted) return;
      this.#arrived.delete(this.#next);
      this.#next += 1;
      const call = new Call(this.#context.book);
      const judged = chain.judge(step, call);
      if (!(judged instanceof Promise)) this.#issue(judged);
      else {
        this.#calls.set(step.index, call);
        void this.#awaitVerdict(step.index, judged, call.signal);
      }
    }
  }

  async #awaitVerdict(stepIndex: number, judging: Promise<Verdict>, signal: AbortSignal): Promise<void> {
    try {
      const verdict = await judging;
      if (!signal.aborted) this.#issue(verdict);
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'unknown';
      if (!signal.aborted) this.#issue({ status: 'monitor_error', stepIndex, reason, durationMs: 0 });
    } finally {
      this.#calls.delete(stepIndex);
      this.#waker.wake();
    }
  }

  /** Judgements of later steps are of no more use. */
  #callOffAfter(stepIndex: number): void {
    for (const [index, call] of this.#calls) {
      if (index <= stepIndex) continue;
      this.#calls.delete(index);
      call.abort();
    }
  }

  #issue(verdict: Verdict): void {
    if (this.#verdicts.has(verdict.stepIndex)) return;
    this.#keep(verdict);
    this.#unsent.push(verdict);
  }

  #keep(verdict: Verdict): void {
    this.#verdicts.set(verdict.stepIndex, verdict);
    if (!isUnsafe(verdict)) return;
    this.#flagged = Math.min(this.#flagged ?? Infinity, verdict.stepIndex);
    if (this.#isHalted) this.#callOffAfter(this.#flagged);
  }

  /** Under `halt`, steps after a flagged one are superseded: neither judged nor paid for. */
  get #isHalted(): boolean {
    return this.#context.intervention === 'halt' && this.#flagged !== undefined;
  }

  get #isFinished(): boolean {
    if (this.#calls.size > 0 || this.#unsent.length > 0) return false;
    return this.#isHalted || (this.#ended !== undefined && this.#next >= this.#ended);
  }

  async #send(): Promise<void> {
    const verdicts = this.#unsent;
    this.#unsent = [];
    const { store, watcher } = this.#context;
    if (await store.issueVerdicts(this.#epoch, { watcher }, verdicts)) this.#isRefused = true;
  }

  /**
   * Reads on from the first step not judged yet, and checks that the verdicts held still stand: all of them after a
   * gap, else the latest (Redis can lose its last second).
   */
  async #lookAtTruth(): Promise<void> {
    const checkFrom = this.#hasGap ? 0 : Math.max(0, this.#next - MAX_LOOK);
    this.#hasGap = false;
    for (let from = checkFrom; from === checkFrom || from < this.#next; from += MAX_LOOK) {
      const missingIn = { from, to: Math.min(this.#next, from + MAX_LOOK) };
      const options = { fromStep: this.#next, maxSteps: MAX_LOOK, missingIn };
      const look = await this.#context.store.look(this.#epoch, options);
      if ('refused' in look) {
        this.#isRefused = true;
        return;
      }
      if (look.watcher !== this.#context.watcher) this.#isRefused = true;
      for (const index of look.missing) {
        const verdict = this.#verdicts.get(index);
        // One that was issued while Redis answered is sent twice; the first write stands.
        if (verdict) this.#unsent.push(verdict);
      }
      this.#adopt(look.steps, look.ended);
    }
  }
}

/** What a judgement is given. A rule never asks for the signal, and making one costs more than many a rule. */
class Call implements JudgeContext {
  readonly book: (use: MonitorUse) => void;
  #controller: AbortController | undefined;

  constructor(book: (use: MonitorUse) => void) {
    this.book = book;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller ??= new AbortController();
    this.#controller.abort();
  }
}
