import type { Logger } from 'pino';
import type { EpochRef, Look, Refusal, RunStore } from '../../shared/redis/run-store.ts';
import type { PushReceiver } from '../../shared/redis/push-receiver.ts';
import type { GenerationJob } from '../../shared/schemas/job.ts';
import type { Push } from '../../shared/schemas/push.ts';
import type { RunResult } from '../../shared/schemas/run-result.ts';
import type { Step } from '../../shared/schemas/step.ts';
import type { Verdict } from '../../shared/schemas/verdict.ts';
import { Waker } from '../../shared/waker.ts';
import { buildResult, type RunSetting } from './build-result.ts';
import { ChainRecorder } from './chain-recorder.ts';
import type { GenerationLoad } from './generation-load.ts';
import { buildJudgedAgain } from './judged-again.ts';
import { isRecordedChain } from './replay-chain.ts';
import { StepPublisher } from './step-publisher.ts';
import type { OpenStream, TargetStream } from './target-stream.ts';
import { VerdictLedger } from './verdict-ledger.ts';

/** How long silence lasts before the truth is read, since a push may have been lost. */
const SILENCE_MS = 250;
/** How long a chain may be silent before its watch is asked for again, in case Redis lost the job. */
const REWATCH_MS = 2_000;
/** A reason of ours: the usual one is an error with its stack, worked out before the socket closes, for nobody. */
const EPOCH_OVER = 'epoch over';
/** Verdicts read in one look, at most. */
const MAX_LOOK = 256;

export interface EpochContext {
  readonly store: RunStore;
  readonly receiver: PushReceiver;
  readonly setting: RunSetting;
  readonly segmentation: 'haltline' | 'paper';
  readonly attachTimeoutMs: number;
  readonly stepTimeoutMs: number;
  readonly openStream: OpenStream;
  /** The local count of the job's messages. */
  readonly promptTokens: () => number;
  /** Enqueues the watch of this epoch; harmless when it is enqueued already. */
  readonly enqueueWatch: (epoch: EpochRef) => Promise<void>;
  readonly inFlight: { count: number };
  readonly load: GenerationLoad;
  readonly now: () => number;
  readonly log: Logger;
  /** Aborted when this worker gives the run up: shutdown, lost lock, cancelled sweep. */
  readonly signal: AbortSignal;
}

export type EpochEnd =
  | { readonly type: 'committed'; readonly result: RunResult }
  /** Another epoch is current, or Redis lost something of this one. */
  | { readonly type: 'refused'; readonly why: Refusal; readonly tokens: number }
  /** The stream broke after its first token, and another epoch may be tried. */
  | { readonly type: 'broken'; readonly tokens: number }
  /** The worker gave up. */
  | { readonly type: 'stopped'; readonly tokens: number };

/**
 * One epoch of one run, from the wait for a monitor to the commit.
 *
 * States: attaching (guarded only) -> streaming -> gated (until every published step before the cut has its verdict)
 * -> committed. A refusal by any script, or the signal, ends it from any state.
 */
export class RunEpoch {
  readonly #job: GenerationJob;
  readonly #ref: EpochRef;
  readonly #context: EpochContext;
  readonly #wasted: number;
  readonly #crashRestart: boolean;
  readonly #mayRetry: boolean;
  readonly #recorder: ChainRecorder;
  readonly #publisher: StepPublisher;
  readonly #ledger: VerdictLedger | undefined;
  readonly #waker = new Waker();
  readonly #stopStream = new AbortController();
  readonly #published: Step[] = [];
  #lastSteps: readonly Step[] = [];
  #watcher: string | undefined;
  #unwatched = false;
  #failure: Refusal | Error | undefined;
  #flagHeardAtMs: number | undefined;
  #heardAtMs: number;
  #rewatchedAtMs = 0;
  #isLooking = false;
  #attachWaitMs = 0;
  #waitsForWatchSinceMs: number | undefined;
  #inFlightAtStart = 0;
  #stream: TargetStream | undefined;

  constructor(
    job: GenerationJob,
    ref: EpochRef,
    context: EpochContext,
    options: { wasted: number; crashRestart: boolean; mayRetry: boolean },
  ) {
    this.#job = job;
    this.#ref = ref;
    this.#context = context;
    this.#wasted = options.wasted;
    this.#crashRestart = options.crashRestart;
    this.#mayRetry = options.mayRetry;
    this.#heardAtMs = context.now();
    this.#recorder = new ChainRecorder(context.segmentation, context.now);
    const { intervention, fail } = context.setting;
    this.#ledger =
      job.guard && new VerdictLedger({ intervention, fail, stepTimeoutMs: context.stepTimeoutMs });
    this.#publisher = new StepPublisher(context.store, ref, {
      onSending: (steps) => this.#onSending(steps),
      onPublished: (steps) => this.#onPublished(steps),
      onFailed: (why) => this.#fail(why),
    });
  }

  async run(): Promise<EpochEnd> {
    const { signal, receiver } = this.#context;
    const onAbort = (): void => this.#endStream();
    signal.addEventListener('abort', onAbort);
    const stopListening = receiver.listen(this.#ref, {
      onPush: (push) => this.#onPush(push),
      onGap: () => void this.#lookAtTruth(),
    });
    const patrol = this.#ledger && setInterval(() => void this.#patrol(), SILENCE_MS);
    const leaveLoad = this.#context.load.enter(this);
    try {
      if (this.#ledger) await this.#attach();
      return await this.#streamAndCommit();
    } finally {
      clearInterval(patrol);
      leaveLoad();
      stopListening();
      signal.removeEventListener('abort', onAbort);
      this.#stopStream.abort(EPOCH_OVER);
      this.#publisher.close();
    }
  }

  /** Published steps before the cut that wait for their verdict. */
  get stepLag(): number {
    return this.#ledger?.unjudged().length ?? 0;
  }

  get waitsForWatchSinceMs(): number | undefined {
    return this.#waitsForWatchSinceMs;
  }

  async #streamAndCommit(): Promise<EpochEnd> {
    const closedWithoutMonitor = this.#unwatched && this.#context.setting.fail === 'closed';
    if (!closedWithoutMonitor && !this.#isOver) await this.#openStream();
    const end = this.#gaveUp();
    if (end) return end;
    await this.#publisher.end(this.#isHalted ? [] : [...this.#lastSteps, ...this.#recorder.end()]);
    if (this.#isBroken && this.#mayRetry) return this.#gaveUp() ?? { type: 'broken', tokens: this.#tokens() };
    return this.#commit();
  }

  get #isBroken(): boolean {
    const failed = this.#stream?.status === 'failed' && this.#stream.error?.retryable === true;
    return failed && this.#stream?.firstTokenAtMs !== undefined && !this.#isHalted;
  }

  /** Waits until a monitor watches; after the time limit the run is unwatched, and its policy decides. */
  async #attach(): Promise<void> {
    const { attachTimeoutMs, enqueueWatch, load, now } = this.#context;
    const beganAtMs = now();
    this.#waitsForWatchSinceMs = beganAtMs;
    await enqueueWatch(this.#ref);
    while (this.#watcher === undefined && !this.#isOver) {
      const left = beganAtMs + attachTimeoutMs - now();
      if (left <= 0) break;
      await this.#waker.wait(Math.min(left, SILENCE_MS));
    }
    this.#attachWaitMs = now() - beganAtMs;
    this.#waitsForWatchSinceMs = undefined;
    load.attached(this.#attachWaitMs);
    this.#unwatched = this.#watcher === undefined;
    if (this.#unwatched && !this.#isOver) {
      this.#context.log.warn(
        { event: 'watch-missing', waitMs: this.#attachWaitMs },
        'no monitor watches this run',
      );
    }
  }

  async #openStream(): Promise<void> {
    const { inFlight, openStream } = this.#context;
    inFlight.count += 1;
    this.#inFlightAtStart = inFlight.count;
    try {
      this.#stream = await openStream(
        {
          onDelta: (kind, text) => this.#publish(this.#recorder.push(kind, text)),
          // Nothing follows them: they go out with their number.
          onSteps: (texts) => (this.#lastSteps = this.#recorder.take(texts)),
          onRecorded: (steps) => (this.#lastSteps = steps),
        },
        this.#stopStream.signal,
      );
    } finally {
      inFlight.count -= 1;
    }
  }

  #publish(steps: readonly Step[]): void {
    this.#publisher.add(steps);
  }

  /** Before the call: a verdict may arrive before the call's own reply. */
  #onSending(steps: readonly Step[]): void {
    const nowMs = this.#context.now();
    for (const step of steps) this.#ledger?.published(step.index, nowMs);
  }

  #onPublished(steps: readonly Step[]): void {
    this.#published.push(...steps);
    if (this.#unwatched)
      void this.#giveUpOn(
        steps.map((step) => step.index),
        'unwatched',
      );
  }

  #onPush(push: Push): void {
    if (push.type === 'watch-started') this.#onWatched(push.watcher);
    if (push.type === 'verdicts-issued') for (const verdict of push.verdicts) this.#onVerdict(verdict);
    this.#heardAtMs = this.#context.now();
    this.#waker.wake();
  }

  #onWatched(watcher: string): void {
    this.#watcher = watcher;
    this.#unwatched = false;
  }

  #onVerdict(verdict: Verdict): void {
    const nowMs = this.#context.now();
    const flaggedBefore = this.#ledger?.flagged;
    if (!this.#ledger?.record(verdict, nowMs)) return;
    if (this.#ledger.flagged !== flaggedBefore) this.#flagHeardAtMs ??= nowMs;
    if (this.#isHalted) this.#endStream();
  }

  /** Closes the socket now. What is in the buffer is counted and never published. */
  #endStream(): void {
    this.#publisher.close();
    this.#recorder.stop();
    this.#stopStream.abort(EPOCH_OVER);
    this.#waker.wake();
  }

  get #isHalted(): boolean {
    return this.#ledger?.stop !== undefined;
  }

  get #isOver(): boolean {
    return this.#failure !== undefined || this.#context.signal.aborted;
  }

  #fail(why: Refusal | Error): void {
    this.#failure ??= why;
    this.#endStream();
  }

  #failIf(refused: { refused: Refusal } | undefined): void {
    if (refused) this.#fail(refused.refused);
  }

  #gaveUp(): EpochEnd | undefined {
    if (this.#context.signal.aborted) return { type: 'stopped', tokens: this.#tokens() };
    if (this.#failure instanceof Error) throw this.#failure;
    return this.#failure && { type: 'refused', why: this.#failure, tokens: this.#tokens() };
  }

  #tokens(): number {
    const { reasoning, answer, content } = this.#recorder.tokens();
    return reasoning + answer + content;
  }

  /** On the timer: gives up on overdue steps, and reads the truth when a chain has been silent. */
  async #patrol(): Promise<void> {
    const nowMs = this.#context.now();
    const silentMs = nowMs - this.#heardAtMs;
    const overdue = this.#ledger?.overdue(nowMs) ?? [];
    if (overdue.length > 0) await this.#giveUpOn(overdue, 'timeout');
    const waits = this.#watcher === undefined || this.#ledger?.isComplete === false;
    if (!waits || this.#isOver || silentMs < SILENCE_MS) return;
    await this.#lookAtTruth();
    if (silentMs < REWATCH_MS || nowMs - this.#rewatchedAtMs < REWATCH_MS) return;
    this.#rewatchedAtMs = nowMs;
    await this.#context.enqueueWatch(this.#ref).catch((error: unknown) => this.#fail(asError(error)));
  }

  async #lookAtTruth(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const verdictsOf = this.#ledger?.unjudged(MAX_LOOK) ?? [];
      const look = await this.#context.store.look(this.#ref, { fromStep: 0, maxSteps: 0, verdictsOf });
      if ('refused' in look) {
        this.#fail(look.refused);
        return;
      }
      this.#adopt(look);
    } catch (error) {
      this.#fail(asError(error));
    } finally {
      this.#isLooking = false;
    }
  }

  #adopt(look: Look): void {
    if (look.watcher !== undefined) this.#onWatched(look.watcher);
    for (const verdict of look.verdicts) this.#onVerdict(verdict);
    this.#waker.wake();
  }

  /** Writes `monitor_error` for steps that got no verdict in time; a verdict that was first stands. */
  async #giveUpOn(stepIndexes: readonly number[], reason: string): Promise<void> {
    const { store, stepTimeoutMs, log } = this.#context;
    const durationMs = reason === 'timeout' ? stepTimeoutMs : 0;
    const verdicts = stepIndexes.map((stepIndex) => ({
      status: 'monitor_error' as const,
      stepIndex,
      reason,
      durationMs,
    }));
    const level = reason === 'timeout' ? 'warn' : 'debug';
    log[level]({ event: 'step-unjudged', steps: stepIndexes.length, reason }, 'steps got no verdict');
    try {
      this.#failIf(await store.issueVerdicts(this.#ref, 'generator', verdicts));
      await this.#lookAtTruth();
    } catch (error) {
      this.#fail(asError(error));
    }
  }

  async #commit(): Promise<EpochEnd> {
    for (;;) {
      await this.#gate();
      const gaveUp = this.#gaveUp();
      if (gaveUp) return gaveUp;
      const result = this.#result();
      const mode = this.#ledger ? this.#context.setting.intervention : 'unguarded';
      const refused = await this.#context.store.commit(this.#ref, {
        mode,
        flagged: this.#ledger?.flagged,
        result,
      });
      if (!refused) return { type: 'committed', result };
      if (refused.refused !== 'flag' && refused.refused !== 'unjudged') this.#fail(refused.refused);
      else await this.#rereadVerdicts();
    }
  }

  /** Holds the answer back until every published step before the cut has its verdict. */
  async #gate(): Promise<void> {
    while (this.#ledger?.isComplete === false && !this.#isOver) await this.#waker.wait(SILENCE_MS);
  }

  /** Redis knows other verdicts than we heard of: what it lost waits again, what we missed is read. */
  async #rereadVerdicts(): Promise<void> {
    const all = this.#published.map((step) => step.index);
    for (let from = 0; from < all.length; from += MAX_LOOK) {
      const verdictsOf = all.slice(from, from + MAX_LOOK);
      const look = await this.#context.store.look(this.#ref, { fromStep: 0, maxSteps: 0, verdictsOf });
      if ('refused' in look) {
        this.#fail(look.refused);
        return;
      }
      const stored = new Set(look.verdicts.map((verdict) => verdict.stepIndex));
      this.#ledger?.forget(
        verdictsOf.filter((index) => !stored.has(index)),
        this.#context.now(),
      );
      this.#adopt(look);
    }
    await this.#context.enqueueWatch(this.#ref);
  }

  #result(): RunResult {
    const { replay } = this.#job;
    if (isRecordedChain(replay) && this.#stream) {
      return buildJudgedAgain(this.#job, this.#context.setting, replay, {
        epoch: this.#ref.epoch,
        ledger: this.#ledger,
        watcher: this.#watcher,
        attachWaitMs: this.#attachWaitMs,
      });
    }
    return buildResult(this.#job, this.#context.setting, {
      epoch: this.#ref.epoch,
      wasted: this.#wasted,
      crashRestart: this.#crashRestart,
      recorder: this.#recorder,
      steps: this.#published,
      stream: this.#stream,
      ledger: this.#ledger,
      watcher: this.#watcher,
      attachWaitMs: this.#attachWaitMs,
      inFlightAtStart: this.#inFlightAtStart,
      flagHeardAtMs: this.#flagHeardAtMs,
      promptTokens: this.#context.promptTokens,
    });
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
