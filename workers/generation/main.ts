import { randomUUID } from 'node:crypto';
import { DelayedError, type Job, Queue, WaitingError, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { readSecret } from '../../shared/config.ts';
import { estimatePromptTokens } from '../../shared/core/prompt-tokens.ts';
import { messagesHashOf } from '../../shared/messages-hash.ts';
import type { HealthSource } from '../../shared/observability/health-server.ts';
import type { Sample } from '../../shared/observability/metrics-registry.ts';
import { createRedis, type RedisAddress } from '../../shared/redis/connection.ts';
import { parseJob, withJobErrors } from '../../shared/redis/job-error.ts';
import type { Keys } from '../../shared/redis/keys.ts';
import { PushReceiver } from '../../shared/redis/push-receiver.ts';
import { RequestLimiter } from '../../shared/redis/request-limiter.ts';
import { type EpochRef, RunStore } from '../../shared/redis/run-store.ts';
import { type KnownSweep, SweepRegistry } from '../../shared/redis/sweep-registry.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { closeWorkers } from '../../shared/redis/worker-shutdown.ts';
import {
  type GenerationJob,
  generationJobSchema,
  MESSAGE_VERSION,
  type WatchJob,
} from '../../shared/schemas/job.ts';
import type { TargetSpec } from '../../shared/schemas/sweep-spec.ts';
import { generateRun, type RunContext } from './generate-run.ts';
import { GenerationLoad } from './generation-load.ts';
import { type HoldBack, holdBackReasons, whyHeldBack } from './hold-back.ts';
import { openTargetStream, type OpenTargetOptions } from './open-target-stream.ts';
import { replayChain } from './replay-chain.ts';
import { RunAccount } from './run-account.ts';
import type { OpenStream } from './target-stream.ts';

export interface GenerationWorkerOptions {
  readonly redis: RedisAddress;
  readonly keys: Keys;
  /** Where API keys are read from, by the variable names of the spec. */
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Runs at once per target; default: each target's own `concurrency`. */
  readonly concurrency?: number;
  readonly id?: string;
}

export interface RunningWorker extends HealthSource {
  readonly id: string;
  /** Takes no new job, hands back the running ones, and disconnects. */
  close(): Promise<void>;
}

/** A job in the hands of this worker. */
interface RunningJob {
  readonly known: KnownSweep;
  readonly job: Job<unknown>;
  readonly token: string;
  readonly lost: AbortSignal | undefined;
}

/** The reason of a signal that ends the runs of a cancelled sweep. */
const CANCELLED = 'cancelled';
/** How long a job that may not start now is put off. */
const PUT_OFF_MS = 1_000;
/** A dead worker's run is taken over after at most lock + check (QUEUE.md, section 6). */
const locks = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 10 };

/** Serves the queues of every target of every live sweep until closed. */
export async function startGenerationWorker(options: GenerationWorkerOptions): Promise<RunningWorker> {
  const worker = new GenerationWorker(options);
  await worker.start();
  return worker;
}

class GenerationWorker implements RunningWorker {
  readonly id: string;
  readonly #options: GenerationWorkerOptions;
  readonly #redis;
  readonly #sweeps: SweepStore;
  readonly #store: RunStore;
  readonly #limiter: RequestLimiter;
  readonly #watches: Queue<WatchJob>;
  readonly #workers = new Map<string, Worker>();
  readonly #running = new Map<string, Set<AbortController>>();
  readonly #inFlight = { count: 0 };
  readonly #load = new GenerationLoad();
  #receiver: PushReceiver | undefined;
  #registry: SweepRegistry | undefined;
  #heldBack: HoldBack | undefined;
  #isClosing = false;

  constructor(options: GenerationWorkerOptions) {
    const { redis, keys, log } = options;
    this.id = options.id ?? `generation-${randomUUID().slice(0, 8)}`;
    this.#options = options;
    this.#redis = createRedis(redis, 'commands', log);
    this.#sweeps = new SweepStore(this.#redis, keys);
    this.#store = new RunStore(this.#redis, keys);
    this.#limiter = new RequestLimiter({ redis: this.#redis, keys, log });
    this.#watches = new Queue(keys.monitorQueue, { connection: this.#redis, prefix: keys.queuePrefix });
    this.#watches.on('error', (err) => log.debug({ event: 'queue-error', err }, 'watch queue error'));
  }

  async start(): Promise<void> {
    const { redis, keys, log } = this.#options;
    this.#receiver = await PushReceiver.create(createRedis(redis, 'subscriber', log), keys.channel(this.id));
    this.#registry = await SweepRegistry.create(this.#sweeps, log, (sweeps) => this.#onSweeps(sweeps));
    log.info({ event: 'worker-started', worker: this.id }, 'generation worker started');
  }

  unready(): string | undefined {
    if (this.#isClosing) return 'closing';
    if (this.#redis.status !== 'ready') return 'Redis is not reachable';
    return this.#registry === undefined ? 'starting' : this.#registry.staleness;
  }

  *samples(): Generator<Sample> {
    yield* this.#load.samples(now());
    yield* this.#limiter.samples();
    for (const reason of holdBackReasons) {
      const value = Number(this.#heldBack?.reason === reason);
      yield { name: 'haltline_generation_paused', labels: { reason }, value };
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#registry?.close();
    await closeWorkers([...this.#workers.values()]);
    await this.#watches.close();
    await this.#receiver?.close();
    this.#limiter.close();
    this.#redis.disconnect();
    this.#options.log.info({ event: 'worker-stopped', worker: this.id }, 'generation worker stopped');
  }

  #onSweeps(sweeps: readonly KnownSweep[]): void {
    if (this.#isClosing) return;
    const concurrency = new Map<string, number>();
    for (const { sweep } of sweeps) {
      for (const target of sweep.spec.targets) {
        const wanted = this.#options.concurrency ?? target.concurrency;
        concurrency.set(target.id, Math.max(concurrency.get(target.id) ?? 0, wanted));
      }
    }
    for (const [target, wanted] of concurrency) this.#serve(target, wanted);
    this.#holdBack(sweeps);
    const cancelled = new Set(
      sweeps.filter(({ status }) => status === 'cancelled').map(({ sweep }) => sweep.id),
    );
    for (const [sweep, controllers] of this.#running) {
      if (cancelled.has(sweep)) for (const controller of controllers) controller.abort(CANCELLED);
    }
  }

  #serve(target: string, concurrency: number): void {
    const known = this.#workers.get(target);
    if (known) {
      if (known.concurrency !== concurrency) known.concurrency = concurrency;
      return;
    }
    const { keys, log } = this.#options;
    const worker = new Worker(
      keys.generationQueue(target),
      (job: Job<unknown>, token?: string, signal?: AbortSignal) => this.#process(job, token, signal),
      {
        ...locks,
        connection: this.#redis,
        prefix: keys.queuePrefix,
        concurrency,
        runRetryDelay: 1_000,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 1_000 },
      },
    );
    worker.on('error', (err) => log.debug({ event: 'queue-error', target, err }, 'generation queue error'));
    worker.on('failed', (job, err) =>
      log.warn(
        { event: 'job-failed', target, job: job?.id, err },
        'a generation job failed and is tried again',
      ),
    );
    worker.on('lockRenewalFailed', (ids) => ids.forEach((id) => worker.cancelJob(id, 'lock lost')));
    this.#workers.set(target, worker);
    if (this.#heldBack) void worker.pause(true);
  }

  /** The bound is heeded at once: half a second of results, until the next look, may be many times as much. */
  #onSent(known: KnownSweep, backlogBytes: number): void {
    known.backlogBytes = backlogBytes;
    if (backlogBytes > known.sweep.spec.limits.backlogBytes) this.#holdBack([known]);
  }

  /** Takes no new run while it is above a high-water mark; those under way go on. */
  #holdBack(sweeps: readonly KnownSweep[]): void {
    const why = whyHeldBack(sweeps, this.#load, now());
    if (why?.reason === this.#heldBack?.reason) return;
    const wasHeldBack = this.#heldBack !== undefined;
    this.#heldBack = why;
    const { log } = this.#options;
    if (!why) log.info({ event: 'generation-resumed' }, 'runs are taken again');
    else if (why.reason === 'backlog')
      log.warn(
        { event: 'generation-held-back', ...why },
        'no new run is taken: results wait for a metrics worker to write them to disk',
      );
    else
      log.warn(
        { event: 'generation-held-back', ...why },
        'no new run is taken: runs wait for a monitor worker to watch them',
      );
    if (wasHeldBack === (why !== undefined)) return;
    for (const worker of this.#workers.values()) {
      if (why) void worker.pause(true);
      else void worker.resume();
    }
  }

  async #process(job: Job<unknown>, token = '', signal?: AbortSignal): Promise<void> {
    await withJobErrors(
      { job, token, redis: this.#redis, keys: this.#options.keys, log: this.#options.log },
      async () => {
        const data = parseJob(generationJobSchema, job);
        const known = await this.#registry?.get(data.sweep);
        // A finished sweep has every run on disk: a job of it that is left was enqueued once too often.
        if (known?.status === 'cancelled' || known?.status === 'finished') return;
        if (!known || known.status !== 'running') return this.#putOff(job, token);
        const account = this.#openAccount(data, known);
        if (!(await account.mayStart())) return this.#putOff(job, token);
        await this.#generate(data, account, { known, job, token, lost: signal });
      },
    );
  }

  async #putOff(job: Job<unknown>, token: string): Promise<never> {
    await job.moveToDelayed(Date.now() + PUT_OFF_MS, token);
    throw new DelayedError();
  }

  #openAccount(data: GenerationJob, { sweep }: KnownSweep): RunAccount {
    const promptTokens = once(() => estimatePromptTokens(data.messages));
    return new RunAccount({
      sweeps: this.#sweeps,
      spec: sweep.spec,
      job: data,
      promptTokens,
      log: this.#options.log,
    });
  }

  async #generate(
    data: GenerationJob,
    account: RunAccount,
    { known, job, token, lost }: RunningJob,
  ): Promise<void> {
    const stop = new AbortController();
    const { signal } = stop;
    // Not AbortSignal.any: it costs more than all else here.
    const onLost = (): void => stop.abort(lost?.reason);
    lost?.addEventListener('abort', onLost);
    if (lost?.aborted) onLost();
    const running = this.#running.get(data.sweep) ?? new Set();
    this.#running.set(data.sweep, running.add(stop));
    try {
      const context = this.#runContext(data, account, { known, job, token, signal });
      const end = await generateRun(data, context);
      if (end.type !== 'stopped') return;
      if (signal.reason === CANCELLED) {
        await this.#sweeps.bookCancelled(data.sweep, end.tokens);
        await this.#sweeps.releaseSpend(data.sweep, data.place);
        await this.#store.delete(data);
        return;
      }
      if (this.#isClosing) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      const { sweep, place } = data;
      this.#options.log.warn(
        { event: 'zombie-refused', sweep, place, why: 'lock' },
        'the lock on a run is lost',
      );
    } finally {
      lost?.removeEventListener('abort', onLost);
      running.delete(stop);
      if (running.size === 0) this.#running.delete(data.sweep);
    }
  }

  #runContext(
    data: GenerationJob,
    account: RunAccount,
    lease: { known: KnownSweep; job: Job<unknown>; token: string; signal: AbortSignal },
  ): RunContext {
    const { spec } = lease.known.sweep;
    const target = spec.targets.find(({ id }) => id === data.target);
    if (!target || !this.#receiver)
      throw new Error(`target ${data.target} is not in the spec of ${data.sweep}`);
    // Nearly no run logs anything, and a child logger costs more than a message.
    const log = once(() =>
      this.#options.log.child({ sweep: data.sweep, place: data.place, target: data.target }),
    );
    const { promptTokens } = account;
    return {
      store: this.#store,
      sweeps: this.#sweeps,
      receiver: this.#receiver,
      setting: {
        model: target.config.model,
        messagesHash: messagesHashOf(data),
        generator: this.id,
        intervention: spec.intervention,
        fail: spec.fail,
      },
      segmentation: spec.segmentation,
      attachTimeoutMs: spec.monitor.attachTimeoutMs,
      stepTimeoutMs: spec.monitor.stepTimeoutMs,
      openStream: this.#openStream(data, { target, attempts: spec.limits.attempts, promptTokens, log }),
      promptTokens,
      reserve: (earlier) => account.reserveAgain(earlier),
      enqueueWatch: (epoch) => this.#enqueueWatch(epoch, data.guard?.monitor ?? ''),
      inFlight: this.#inFlight,
      load: this.#load,
      onSent: (backlogBytes) => this.#onSent(lease.known, backlogBytes),
      maxEpochs: spec.limits.epochs,
      holdsJob: async () => {
        const extended = await lease.job.extendLock(lease.token, locks.lockDuration).catch(() => 0);
        return extended === 1;
      },
      now,
      get log() {
        return log();
      },
      signal: lease.signal,
    };
  }

  /** What the run's text comes from: its target, or a recorded chain. */
  #openStream(
    data: GenerationJob,
    { target, ...asked }: Omit<OpenTargetOptions, 'apiKey' | 'gate'> & { readonly target: TargetSpec },
  ): OpenStream {
    if (data.replay) return replayChain(data.replay, now);
    const { apiKeyEnv } = target.config;
    const apiKey = apiKeyEnv === undefined ? undefined : readSecret(this.#options.env, apiKeyEnv);
    const gate = this.#limiter.gate(target.config, target.limits);
    return openTargetStream(target, data, { ...asked, apiKey, gate });
  }

  /** The job's id names the epoch, so that asking again while it stands changes nothing. */
  async #enqueueWatch(epoch: EpochRef, monitor: string): Promise<void> {
    const { sweep, place, token } = epoch;
    const data: WatchJob = { v: MESSAGE_VERSION, sweep, place, epoch: epoch.epoch, token, monitor };
    await this.#watches.add('watch', data, {
      jobId: `w-${sweep}-${String(place)}-${String(epoch.epoch)}-${token.slice(0, 8)}`,
      attempts: 1_000,
      backoff: { type: 'fixed', delay: 500 },
      removeOnComplete: true,
      removeOnFail: true,
      stackTraceLimit: 3,
    });
  }
}

/** Unix epoch milliseconds that never run backwards. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Counting a long prompt takes milliseconds, and often nobody asks. */
function once<Value>(compute: () => Value): () => Value {
  let known: { value: Value } | undefined;
  return () => (known ??= { value: compute() }).value;
}
