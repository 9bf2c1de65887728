import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { RedisClient } from './connection.ts';
import type { Logger } from 'pino';
import { z } from 'zod';
import { hashJson } from '../hash.ts';
import { type Admission, admitted, type RequestGate, type RequestSize } from '../llm/request-gate.ts';
import type { ModelLimits } from '../schemas/sweep-spec.ts';
import { Waker } from '../waker.ts';
import type { Sample } from '../observability/metrics-registry.ts';
import type { Keys, LimitKeys } from './keys.ts';
import { arriveScript, enterScript, leaveScript, pauseScript, renewScript } from './limit-scripts.ts';

const MINUTE_MS = 60_000;
/** The longest that a request is thought to be under way to its server; servers that answer sooner are seen to. */
const ARRIVAL_MS = 5_000;
/** A request of a process that died counts as open for so long. */
const LIFE_MS = 30_000;
const RENEW_MS = 10_000;
/** Others may leave sooner than they were expected to: a waiting process looks this often. */
const LOOK_MS = 250;
/** Where nothing is limited, a process takes so long, at most, to see that another one was asked to leave a model alone. */
const OPEN_MS = 100;

/** Which model, by what a provider tells its customers' quotas apart. */
export interface LimitedModel {
  readonly apiBaseUrl: string;
  readonly apiKeyEnv?: string;
  readonly model: string;
}

export interface RequestLimiterOptions {
  /** A connection of the role `commands`; left open. */
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly log: Logger;
  /** The minute of the limits; shorter in tests. */
  readonly windowMs?: number;
}

/**
 * Holds the requests of all processes to what each model can take. A target and a monitor that ask the same model with
 * the same key share its counts; each waits by its own limits.
 */
export class RequestLimiter {
  readonly #options: RequestLimiterOptions;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: RequestLimiterOptions) {
    this.#options = options;
  }

  /** The way to one model. Without limits, it is closed only while the model asks to be left alone. */
  gate({ apiBaseUrl, apiKeyEnv, model }: LimitedModel, limits: ModelLimits = {}): RequestGate {
    const name = hashJson({ apiBaseUrl, apiKeyEnv, model }).slice(0, 16);
    const lane = this.#lanes.get(name) ?? new Lane(this.#options, this.#options.keys.limits(name), model);
    this.#lanes.set(name, lane);
    return {
      countsTokens: limits.tokensPerMinute !== undefined,
      enter: (size, signal) => lane.enter(limits, size, signal),
      pause: (ms) => lane.pause(ms),
      retried: (waitMs) => lane.retried(waitMs),
    };
  }

  /** What requests of this process have waited, for their turns and before they were sent again, by model. */
  *samples(): Generator<Sample> {
    for (const { model, waits, waitedMs, retries, retryWaitMs } of this.#lanes.values()) {
      yield { name: 'haltline_model_waits_total', labels: { model }, value: waits };
      yield { name: 'haltline_model_wait_seconds_total', labels: { model }, value: waitedMs / 1_000 };
      yield { name: 'haltline_model_retries_total', labels: { model }, value: retries };
      yield {
        name: 'haltline_model_retry_wait_seconds_total',
        labels: { model },
        value: retryWaitMs / 1_000,
      };
    }
  }

  close(): void {
    for (const lane of this.#lanes.values()) lane.close();
  }
}

interface Waiter {
  readonly id: string;
  readonly limits: ModelLimits;
  readonly tokens: number;
  readonly sinceMs: number;
  hasWaited: boolean;
  isGone: boolean;
  readonly resolve: (admission: Admission | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const waitSchema = z.tuple([
  z.literal('wait'),
  z.enum(['pause', 'requests', 'tokens', 'concurrency']),
  z.number(),
]);

/** One model's requests in this process: they enter in the order in which they came, and only the first one asks. */
class Lane {
  readonly model: string;
  waits = 0;
  waitedMs = 0;
  retries = 0;
  retryWaitMs = 0;
  readonly #options: RequestLimiterOptions;
  readonly #keys: string[];
  readonly #log: Logger;
  readonly #waker = new Waker();
  readonly #open = new Set<string>();
  #waiting: Waiter[] = [];
  #isServing = false;
  /** Nobody had asked to be left alone: until then, requests without limits enter unasked. */
  #openUntilMs = -Infinity;
  #renewal: NodeJS.Timeout | undefined;

  constructor(options: RequestLimiterOptions, keys: LimitKeys, model: string) {
    this.#options = options;
    this.#keys = [keys.starts, keys.tokens, keys.open, keys.pause];
    this.model = model;
    this.#log = options.log.child({ model });
  }

  enter(limits: ModelLimits, size: RequestSize, signal: AbortSignal): Promise<Admission | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    if (performance.now() < this.#openUntilMs && !isLimited(limits)) return Promise.resolve(admitted);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiter.isGone = true;
        this.#note(waiter);
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        this.#waker.wake();
        resolve(undefined);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      const settle =
        <Value>(end: (value: Value) => void) =>
        (value: Value): void => {
          signal.removeEventListener('abort', onAbort);
          end(value);
        };
      const waiter: Waiter = {
        id: randomUUID(),
        limits,
        tokens: limits.tokensPerMinute === undefined ? 0 : size.tokens(),
        sinceMs: performance.now(),
        hasWaited: this.#waiting.length > 0,
        isGone: false,
        resolve: settle(resolve),
        reject: settle(reject),
      };
      this.#waiting.push(waiter);
      void this.#serve();
    });
  }

  async pause(ms: number): Promise<void> {
    const pauseMs = Math.ceil(ms);
    if (pauseMs <= 0) return;
    this.#log.info({ event: 'model-paused', pauseMs }, 'the model asks to be left alone');
    await pauseScript.run(this.#options.redis, this.#keys, [pauseMs]);
    // Now, and no sooner: who asked before that has been answered.
    this.#openUntilMs = -Infinity;
  }

  retried(waitMs: number): void {
    this.retries += 1;
    this.retryWaitMs += waitMs;
  }

  close(): void {
    clearInterval(this.#renewal);
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      try {
        await this.#ask(first);
      } catch (error) {
        this.#remove(first);
        first.reject(error);
      }
    }
    this.#isServing = false;
  }

  async #ask(waiter: Waiter): Promise<void> {
    const { limits, id, tokens } = waiter;
    const { redis, windowMs = MINUTE_MS } = this.#options;
    const askedAtMs = performance.now();
    const reply = await enterScript.run(redis, this.#keys, [
      ...[id, windowMs, ARRIVAL_MS],
      ...[limits.requestsPerMinute ?? '', limits.tokensPerMinute ?? '', limits.maxConcurrency ?? ''],
      ...[tokens, LIFE_MS],
    ]);
    if (reply[0] === 'granted') {
      if (!isLimited(limits)) this.#openUntilMs = askedAtMs + OPEN_MS;
      this.#remove(waiter);
      this.#admit(waiter);
      return;
    }
    const [, reason, ms] = waitSchema.parse(reply);
    if (!waiter.hasWaited) {
      this.#log.debug({ event: 'request-limited', reason, waitMs: ms }, 'a request waits for its turn');
    }
    waiter.hasWaited = true;
    await this.#waker.wait(Math.min(ms, LOOK_MS));
  }

  #remove(waiter: Waiter): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiter);
  }

  #admit(waiter: Waiter): void {
    const { id, limits } = waiter;
    if (!waiter.isGone) this.#note(waiter);
    const isCounted = isLimited(limits);
    if (isCounted) this.#hold(id);
    const leave = (tokens?: number): void => {
      if (!this.#open.delete(id)) return;
      this.#send(leaveScript.run(this.#options.redis, this.#keys, [id, tokens ?? '']));
      this.#waker.wake();
    };
    // Its own signal came while Redis was being asked.
    if (waiter.isGone) leave(0);
    let hasArrived = !isCounted;
    waiter.resolve({
      arrived: () => {
        if (hasArrived) return;
        hasArrived = true;
        this.#send(arriveScript.run(this.#options.redis, this.#keys, [id]));
      },
      leave,
    });
  }

  #note({ hasWaited, sinceMs }: Waiter): void {
    if (!hasWaited) return;
    this.waits += 1;
    this.waitedMs += performance.now() - sinceMs;
  }

  #hold(id: string): void {
    this.#open.add(id);
    this.#renewal ??= setInterval(() => this.#renew(), RENEW_MS).unref();
  }

  #renew(): void {
    if (this.#open.size === 0) return;
    this.#send(renewScript.run(this.#options.redis, this.#keys, [LIFE_MS, ...this.#open]));
  }

  /** What is lost here ends by itself: a request that nobody reports on counts as long as it must. */
  #send(sent: Promise<unknown>): void {
    sent.catch((err: unknown) => this.#log.debug({ event: 'limit-unreported', err }, 'a limit was not told'));
  }
}

function isLimited(limits: ModelLimits): boolean {
  return Object.keys(limits).length > 0;
}
