import { describe, expect, it } from 'vitest';
import { planRetry, withRetries, type RetryContext, type RetrySettings } from '../../../shared/llm/retry.ts';
import { streamError } from '../../../shared/llm/stream-error.ts';
import { chatEvent, startServer, type Exchange } from './raw-server.ts';
import { noAbort, stream, targetAt } from './target.ts';

const settings: RetrySettings = { maxAttempts: 3, baseMs: 8, maxMs: 100, retryAfterCapMs: 60_000 };
const reply = chatEvent({ content: 'hello' }, 'stop');

type Answer = (exchange: Exchange) => void;
const busy: Answer = ({ response }) => response.writeHead(503).end();
const hello: Answer = ({ response }) => response.end(reply);

function limited(headers: Record<string, string>): Answer {
  return ({ response }) => response.writeHead(429, headers).end();
}

/** Runs a request against a server that gives these answers in turn, the last one for ever. */
async function retried(answers: readonly Answer[], changes: Partial<RetrySettings & RetryContext> = {}) {
  let requests = 0;
  const waits: { reason: string; waitMs: number }[] = [];
  const baseUrl = await startServer((exchange) =>
    answers[Math.min(requests++, answers.length - 1)]?.(exchange),
  );
  const { random = () => 0, signal = noAbort, onWait, ...rest } = changes;
  const result = await withRetries(
    () => stream(targetAt(baseUrl), { signal }),
    { ...settings, ...rest },
    {
      random,
      signal,
      onWait: (wait) => {
        waits.push(wait);
        onWait?.(wait);
      },
    },
  );
  return { ...result, requests, waits };
}

describe('retries', () => {
  it('repeat a failed request, waiting longer each time, until it is answered', async () => {
    const result = await retried([busy, busy, hello], { random: () => 0.5 });
    expect(result).toMatchObject({ end: { answer: 'hello' }, attempts: 3, stop: 'settled' });
    expect(result.waits).toEqual([
      { reason: 'overloaded', waitMs: 6 },
      { reason: 'overloaded', waitMs: 12 },
    ]);
  });

  it('end after the last attempt with its error', async () => {
    const result = await retried([busy]);
    expect(result).toMatchObject({ attempts: 3, requests: 3, stop: 'attempts_spent' });
    expect(result.end.error).toMatchObject({ kind: 'overloaded', code: 503 });
  });

  it('wait as long as the server asks', async () => {
    const result = await retried([limited({ 'retry-after': '1' }), hello]);
    expect(result).toMatchObject({
      attempts: 2,
      stop: 'settled',
      waits: [{ reason: 'rate_limited', waitMs: 1_000 }],
    });
  });

  it('fail now when the server asks to wait a day', async () => {
    const result = await retried([limited({ 'retry-after': '86400' }), hello]);
    expect(result).toMatchObject({ requests: 1, waits: [], stop: 'retry_after_over_cap' });
    expect(result.end.error).toMatchObject({ kind: 'rate_limited', retryAfterMs: 86_400_000 });
  });

  it('are not made once output has begun', async () => {
    const cut: Answer = ({ response }) => response.end(chatEvent({ reasoning: 'one' }));
    const result = await retried([cut, hello]);
    expect(result).toMatchObject({ requests: 1, stop: 'output_begun' });
    expect(result.end).toMatchObject({ reasoning: 'one', error: { kind: 'premature_close' } });
  });

  it('are not made where they cannot help', async () => {
    const refuse: Answer = ({ response }) => response.writeHead(401).end('{}');
    expect(await retried([refuse, hello])).toMatchObject({ requests: 1, stop: 'not_retryable' });
  });

  it('hear an abort while they wait', async () => {
    const controller = new AbortController();
    const result = await retried([limited({ 'retry-after': '60' }), hello], {
      signal: controller.signal,
      onWait: () => queueMicrotask(() => controller.abort()),
    });
    expect(result).toMatchObject({ requests: 1, stop: 'aborted', end: { status: 'aborted', error: null } });
  });
});

describe('the plan of a retry', () => {
  const failed = (retryAfterMs: number | null) => ({
    status: 'failed' as const,
    error: { ...streamError('overloaded', { retryable: true }), retryAfterMs },
    firstDeltaAtMs: null,
    refusal: null,
  });

  it('bounds the growing wait, and keeps its jitter in the upper half', () => {
    const many = { ...settings, maxAttempts: 100 };
    expect(planRetry(failed(null), 50, many, () => 0)).toEqual({ reason: 'overloaded', waitMs: 50 });
    expect(planRetry(failed(null), 50, many, () => 0.75)).toEqual({ reason: 'overloaded', waitMs: 87.5 });
  });

  it('adds the jitter to what the server asks for, and takes a negative wait as none', () => {
    expect(planRetry(failed(1_000), 1, settings, () => 0.5)).toMatchObject({ waitMs: 1_002 });
    expect(planRetry(failed(-5), 1, settings, () => 0)).toMatchObject({ waitMs: 4 });
  });
});
