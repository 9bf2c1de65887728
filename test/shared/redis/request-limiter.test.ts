import { setMaxListeners } from 'node:events';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSimulator, type SimulatorOptions } from '../../../scripts/simulator/create-simulator.ts';
import { createRedis, redisOptionsFromUrl } from '../../../shared/redis/connection.ts';
import type { MetricName } from '../../../shared/observability/metrics-registry.ts';
import { createKeys } from '../../../shared/redis/keys.ts';
import { RequestLimiter } from '../../../shared/redis/request-limiter.ts';
import type { ModelLimits } from '../../../shared/schemas/sweep-spec.ts';
import { targetSpecSchema } from '../../../shared/schemas/sweep-spec.ts';
import { Waker } from '../../../shared/waker.ts';
import { openTargetStream } from '../../../workers/generation/open-target-stream.ts';
import { buildJob, buildLiveSweep, scriptedSteps } from '../../support/pipeline.ts';
import { testRedis } from '../../support/redis.ts';

const model = { apiBaseUrl: 'http://127.0.0.1:1/v1', model: 'm' };
const never = new AbortController().signal;
setMaxListeners(100, never);
const size = (tokens: number) => ({ tokens: () => tokens });

interface LogLine {
  readonly event?: string;
  readonly reason?: string;
}

/** A log whose lines can be waited for. */
function listeningLog() {
  const lines: LogLine[] = [];
  const waker = new Waker();
  const log = pino(
    { level: 'debug' },
    {
      write: (text: string) => {
        lines.push(JSON.parse(text) as LogLine);
        waker.wake();
      },
    },
  );
  const said = async (event: string): Promise<LogLine> => {
    for (;;) {
      const line = lines.find((candidate) => candidate.event === event);
      if (line) return line;
      await waker.wait(1_000);
    }
  };
  return { log, said };
}

/** Limiters of as many processes: each has a connection of its own. */
function createLimiters(count: number, { windowMs = 60_000 } = {}) {
  const { url, redis, prefix } = testRedis();
  const keys = createKeys(prefix);
  const processes = Array.from({ length: count }, () => {
    const connection = createRedis(redisOptionsFromUrl(url), 'commands');
    const { log, said } = listeningLog();
    const limiter = new RequestLimiter({ redis: connection, keys, log, windowMs });
    onTestFinished(() => {
      limiter.close();
      connection.disconnect();
    });
    return { limiter, log, said };
  });
  const keyOf = async (name: string): Promise<string> => {
    const found = await redis.keys(`${prefix}:limits:*:${name}`);
    return found[0] ?? '';
  };
  return { redis, processes, keyOf };
}

function oneProcess(options: { windowMs?: number } = {}) {
  const { redis, processes, keyOf } = createLimiters(1, options);
  const [first] = processes;
  if (!first) throw new Error('no process');
  return { redis, keyOf, ...first };
}

async function simulatedTarget(options: SimulatorOptions, limits?: ModelLimits) {
  const simulator = await createSimulator({ script: () => ({ reasoning: scriptedSteps(1) }), ...options });
  onTestFinished(() => simulator.close());
  const target = targetSpecSchema.parse({
    id: 'sim',
    config: { apiBaseUrl: simulator.url, model: 'sim-reasoner' },
    ...(limits && { limits }),
  });
  const sweep = buildLiveSweep({ apiBaseUrl: simulator.url, spec: {}, total: 100 });
  const open = (place: number, { limiter, log }: Pick<ReturnType<typeof oneProcess>, 'limiter' | 'log'>) =>
    openTargetStream(target, buildJob(sweep, place), {
      apiKey: undefined,
      attempts: 4,
      gate: limiter.gate(target.config, target.limits),
      promptTokens: () => 10,
      log: () => log,
    })({ onDelta: () => undefined, onSteps: () => undefined, onRecorded: () => undefined }, never);
  return { simulator, open };
}

describe('requests a minute', () => {
  test('no window at the server holds more than the limit, over two processes and with retries', async () => {
    const windowMs = 1_000;
    const limit = 6;
    const { processes } = createLimiters(2, { windowMs });
    const { simulator, open } = await simulatedTarget(
      { fault: (index) => (index % 5 === 1 ? { type: 'status', status: 503 } : undefined) },
      { requestsPerMinute: limit },
    );
    const ends = await Promise.all(
      processes.flatMap((process, place) =>
        Array.from({ length: 8 }, (_, i) => open(8 * place + i, process)),
      ),
    );
    expect(ends.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 'complete'));
    const received = simulator.requests().map(({ receivedAtMs }) => receivedAtMs);
    received.sort((a, b) => a - b);
    expect(received.length).toBeGreaterThan(16);
    // Stamps are whole milliseconds, so a distance may be one short.
    const distances = received.slice(limit).map((atMs, i) => atMs - (received[i] ?? 0));
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(windowMs - 1);
  });

  test('requests that are sent again, and the time waited before that, are told, however many gates a model has', () => {
    const { limiter } = oneProcess();
    limiter.gate(model).retried(500);
    limiter.gate(model, { maxConcurrency: 1 }).retried(1_000);
    limiter.gate({ ...model, model: 'other' }).retried(250);
    expect(valuesOf(limiter, ['haltline_model_retries_total'])).toEqual([2, 1]);
    expect(valuesOf(limiter, ['haltline_model_retry_wait_seconds_total'])).toEqual([1.5, 0.25]);
  });

  test('time spent waiting is told', async () => {
    const { limiter } = oneProcess({ windowMs: 400 });
    const gate = limiter.gate(model, { requestsPerMinute: 1 });
    const waits = () =>
      valuesOf(limiter, ['haltline_model_waits_total', 'haltline_model_wait_seconds_total']);
    (await gate.enter(size(0), never))?.leave();
    expect(waits()).toEqual([0, 0]);
    await gate.enter(size(0), never);
    const [count, seconds] = waits();
    expect(count).toBe(1);
    expect(seconds).toBeGreaterThan(0);
    const controller = new AbortController();
    const waiting = gate.enter(size(0), controller.signal);
    // It stands behind another, so it waits from the start.
    const behind = gate.enter(size(0), controller.signal);
    controller.abort();
    expect(await Promise.all([waiting, behind])).toEqual([undefined, undefined]);
    expect(waits()[0]).toBeGreaterThanOrEqual(2);
  });

  test('a request that nobody reports on counts as if it had taken long to arrive', async () => {
    const { limiter, said, redis, keyOf } = oneProcess();
    const gate = limiter.gate(model, { requestsPerMinute: 1 });
    await gate.enter(size(0), never);
    const second = gate.enter(size(0), never);
    expect(await said('request-limited')).toMatchObject({ reason: 'requests' });
    const starts = await keyOf('starts');
    const [id = '', score = ''] = await redis.zrange(starts, '0', '0', 'WITHSCORES');
    expect(Number(score)).toBeGreaterThan(Date.now());
    await redis.zadd(starts, Number(score) - 70_000, id);
    expect(await second).toBeDefined();
  });
});

describe('requests at once', () => {
  test('the next one enters when one leaves, in whichever process', async () => {
    const { processes } = createLimiters(2);
    const gates = processes.map(({ limiter }) => limiter.gate(model, { maxConcurrency: 2 }));
    const first = await gates[0]?.enter(size(0), never);
    await gates[1]?.enter(size(0), never);
    const third = gates[1]?.enter(size(0), never);
    expect(await processes[1]?.said('request-limited')).toMatchObject({ reason: 'concurrency' });
    first?.leave();
    expect(await third).toBeDefined();
  });

  test('those of a process that died are free after its life', async () => {
    const { limiter, said, redis, keyOf } = oneProcess();
    const gate = limiter.gate(model, { maxConcurrency: 1 });
    await gate.enter(size(0), never);
    const second = gate.enter(size(0), never);
    await said('request-limited');
    const open = await keyOf('open');
    const [id = ''] = await redis.zrange(open, '0', '0');
    await redis.zadd(open, Date.now() - 1, id);
    expect(await second).toBeDefined();
  });
});

describe('tokens a minute', () => {
  test('are reserved whole and settled with what was used', async () => {
    const { limiter, said } = oneProcess();
    const gate = limiter.gate(model, { tokensPerMinute: 1_000 });
    const first = await gate.enter(size(600), never);
    const second = gate.enter(size(600), never);
    expect(await said('request-limited')).toMatchObject({ reason: 'tokens' });
    first?.leave(400);
    expect(await second).toBeDefined();
  });

  test('a request larger than the limit goes alone', async () => {
    const { limiter, said } = oneProcess();
    const gate = limiter.gate(model, { tokensPerMinute: 1_000 });
    const large = await gate.enter(size(5_000), never);
    expect(large).toBeDefined();
    const small = gate.enter(size(1), never);
    await said('request-limited');
    large?.leave(0);
    expect(await small).toBeDefined();
  });

  test('of a stream that outlasts the window count until it ends, and no longer', async () => {
    const { limiter, said, redis, keyOf } = oneProcess();
    const gate = limiter.gate(model, { tokensPerMinute: 1_000 });
    const long = await gate.enter(size(900), never);
    const starts = await keyOf('starts');
    const [id = ''] = await redis.zrange(starts, '0', '0');
    await redis.zadd(starts, Date.now() - 70_000, id);
    const second = gate.enter(size(900), never);
    await said('request-limited');
    long?.leave(900);
    expect(await second).toBeDefined();
    expect(await redis.hget(await keyOf('tokens'), 'sum')).toBe('900');
  });
});

describe('a model that asks to be left alone', () => {
  test('is left alone by all processes, limits or not', async () => {
    const { processes, redis, keyOf } = createLimiters(2);
    const gates = processes.map(({ limiter }) => limiter.gate(model));
    await gates[0]?.pause(30_000);
    expect(await redis.pttl(await keyOf('pause'))).toBeGreaterThan(20_000);
    const waiting = gates[1]?.enter(size(0), never);
    expect(await processes[1]?.said('request-limited')).toMatchObject({ reason: 'pause' });
    await redis.del(await keyOf('pause'));
    expect(await waiting).toBeDefined();
  });

  test('a 429 with Retry-After to one process holds the other back', async () => {
    const { processes } = createLimiters(2);
    const [one, two] = processes;
    if (!one || !two) throw new Error('no processes');
    const { simulator, open } = await simulatedTarget({
      fault: (index) => (index === 0 ? { type: 'status', status: 429, retryAfterSeconds: 1 } : undefined),
    });
    const first = open(0, one);
    await one.said('request-retried');
    const ends = await Promise.all([first, open(1, two)]);
    expect(ends.map(({ status }) => status)).toEqual(['complete', 'complete']);
    const [refused, ...later] = simulator.requests().sort((a, b) => a.requestIndex - b.requestIndex);
    const earliest = Math.min(...later.map(({ receivedAtMs }) => receivedAtMs));
    expect(later).toHaveLength(2);
    expect(earliest - (refused?.receivedAtMs ?? 0)).toBeGreaterThanOrEqual(999);
    expect(Math.min(...ends.map(({ limitWaitMs }) => limitWaitMs))).toBeGreaterThan(0);
  });
});

describe('a wait', () => {
  test('ends with its signal, and the next in line enters', async () => {
    const { limiter, said, redis, keyOf } = oneProcess();
    const gate = limiter.gate(model, { maxConcurrency: 1 });
    const first = await gate.enter(size(0), never);
    const stop = new AbortController();
    const second = gate.enter(size(0), stop.signal);
    const third = gate.enter(size(0), never);
    await said('request-limited');
    stop.abort();
    expect(await second).toBeUndefined();
    first?.leave();
    expect(await third).toBeDefined();
    expect(await redis.zcard(await keyOf('open'))).toBe(1);
  });

  test('with a signal that came before does not begin', async () => {
    const { limiter, keyOf } = oneProcess();
    const gate = limiter.gate(model, { maxConcurrency: 1 });
    expect(await gate.enter(size(0), AbortSignal.abort())).toBeUndefined();
    expect(await keyOf('open')).toBe('');
  });
});

test('two models, and one model under two keys, have counts of their own', async () => {
  const { limiter } = oneProcess();
  const limits = { maxConcurrency: 1 };
  const models = [model, { ...model, model: 'other' }, { ...model, apiKeyEnv: 'KEY' }];
  const all = await Promise.all(models.map((each) => limiter.gate(each, limits).enter(size(0), never)));
  expect(all.every((admission) => admission !== undefined)).toBe(true);
  expect(valuesOf(limiter, ['haltline_model_waits_total'])).toEqual([0, 0, 0]);
});

function valuesOf(limiter: RequestLimiter, names: readonly MetricName[]): number[] {
  return [...limiter.samples()].filter(({ name }) => names.includes(name)).map(({ value }) => value);
}
