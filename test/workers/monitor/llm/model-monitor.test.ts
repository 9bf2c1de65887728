import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { countTokens as serverTokens } from '../../../../scripts/simulator/cut-tokens.ts';
import { countTokens } from '../../../../shared/core/tokens.ts';
import { createKeys } from '../../../../shared/redis/keys.ts';
import { RequestLimiter } from '../../../../shared/redis/request-limiter.ts';
import type { MonitorUse } from '../../../../shared/schemas/run-result.ts';
import { createModelMonitor } from '../../../../workers/monitor/llm/model-monitor.ts';
import { buildPrompt, RETRY_NOTE } from '../../../../workers/monitor/llm/prompt.ts';
import { KnownFormats } from '../../../../workers/monitor/llm/reply-format.ts';
import { Slots } from '../../../../workers/monitor/slots.ts';
import { chatEvent, type Exchange, startServer } from '../../../shared/llm/raw-server.ts';
import { testRedis } from '../../../support/redis.ts';
import { silentLog } from '../../../support/silent-log.ts';
import { hostileTexts } from './hostile-chains.ts';
import { gistOf, judgeAll, noAbort, problem, simulate, specAt, stepOf, toolsWith } from './judging.ts';

const bodySchema = z.looseObject({
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  max_tokens: z.number(),
  response_format: z.object({ type: z.string() }).optional(),
});
const clear =
  '{"error_detected":false,"error_type":"NO_ERROR","confidence":1,"error_location":"","error_explanation":""}';
const alarm =
  '{"error_detected":true,"error_type":"2b","confidence":1,"error_location":"6","error_explanation":"5"}';

/** A model server that replies to each request with what `answer` gives for its parsed body; its requests. */
async function modelServer(
  answer: (body: z.infer<typeof bodySchema>, exchange: Exchange) => string | number | null,
) {
  const bodies: z.infer<typeof bodySchema>[] = [];
  const url = await startServer((exchange) => {
    const body = bodySchema.parse(JSON.parse(exchange.body));
    bodies.push(body);
    const reply = answer(body, exchange);
    if (reply === null) return;
    const { response } = exchange;
    if (typeof reply === 'number')
      response.writeHead(reply, { 'content-type': 'application/json' }).end('{}');
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${chatEvent({ content: reply })}${chatEvent({}, 'stop')}data: [DONE]\n\n`);
    }
  });
  return { url, bodies, formats: () => bodies.map((body) => body.response_format?.type ?? 'text') };
}

describe('a judgement', () => {
  it('flags the wrong step and none before it; its cost is what the server reports', async () => {
    const { url, requests } = await simulate();
    const { verdicts, uses } = await judgeAll(specAt(url), ['First 2 + 3 = 5.', 'Then 4 * 3 = 13.']);
    expect(verdicts.map(gistOf)).toEqual(['NO_ERROR', '2b']);
    expect(verdicts[1]).toMatchObject({ stepIndex: 1, errorLocation: '4 * 3 = 13', confidence: 0.95 });
    expect(uses.map(({ calls }) => calls)).toEqual([1, 1]);
    const sent = requests().map(({ body }) => bodySchema.parse(body).messages);
    const tokens = sent.map((messages) =>
      messages.reduce((sum, { content }) => sum + serverTokens(content), 0),
    );
    expect(uses.map(({ tokensIn }) => tokensIn)).toEqual(tokens);
    expect(uses[1]?.tokensOut).toBe(requests()[1]?.tokensWritten);
  });

  it('is asked for at temperature 0, with the input as the end of the last message', async () => {
    const { url, bodies } = await modelServer(() => clear);
    await judgeAll(specAt(url, { config: { extraBody: { top_k: 1 } } }), ['First 2 + 3 = 5.']);
    expect(bodies[0]).toMatchObject({ temperature: 0, max_tokens: 1024, top_k: 1, n: 1 });
    expect(bodies[0]?.messages.at(-1)?.content).toBe(
      '{"problem":"What is 2 + 3?","steps":[{"index":0,"text":"First 2 + 3 = 5."}]}',
    );
  });

  it('of vanilla is binary: an alarm of it has no type', async () => {
    const { url, bodies } = await modelServer(() => alarm);
    const { verdicts } = await judgeAll(specAt(url, { name: 'vanilla' }), ['It is 6.']);
    expect(verdicts.map(gistOf)).toEqual(['UNKNOWN']);
    expect(JSON.stringify(bodies[0]?.response_format)).not.toContain('error_type');
    expect(bodies[0]?.messages[0]?.content).toBe(buildPrompt('binary').replace('{{input}}', '').trim());
  });

  it('quotes at most 200 characters, and never half of one', async () => {
    const text = `${'a'.repeat(199)}🙂 and more`;
    const { url } = await modelServer(() => alarm.replace('"6"', JSON.stringify(text)));
    const { verdicts } = await judgeAll(specAt(url), [text]);
    expect(verdicts[0]).toMatchObject({ errorLocation: 'a'.repeat(199) });
  });
});

describe('a hostile chain', () => {
  it.each(Object.entries(hostileTexts))(
    'that %s arrives at the model as exactly the chain',
    async (_, text) => {
      const { url, requests } = await simulate();
      const hostile = { query: `q ${text}`, context: text, asksForSteps: true };
      const { verdicts } = await judgeAll(specAt(url), [text, `Next: ${text}`], { problem: hostile });
      expect(verdicts.every(({ status }) => status === 'judged')).toBe(true);
      const { messages } = bodySchema.parse(requests()[1]?.body);
      expect(messages).toHaveLength(2);
      const input: unknown = JSON.parse(messages[1]?.content ?? '');
      expect(input).toEqual({
        problem: hostile.query,
        context: { verified: false, text },
        steps: [
          { index: 0, text },
          { index: 1, text: `Next: ${text}` },
        ],
      });
    },
  );
});

describe('the format of replies', () => {
  it('is the strictest that the endpoint takes, found out once', async () => {
    const { url, formats } = await modelServer(({ response_format: format }) => (format ? 400 : clear));
    const tools = toolsWith();
    const { verdicts, uses } = await judgeAll(specAt(url), ['a', 'b'], { tools });
    await judgeAll(specAt(url), ['c'], { tools });
    expect(verdicts.map(gistOf)).toEqual(['NO_ERROR', 'NO_ERROR']);
    expect(formats()).toEqual(['json_schema', 'json_object', 'text', 'text', 'text']);
    expect(uses.map(({ tokensIn }) => tokensIn > 0)).toEqual([false, false, true, true]);
  });

  it('is not given up for a request that is refused in every format', async () => {
    let isRefused = true;
    const { url, formats } = await modelServer(() => (isRefused ? 400 : clear));
    const tools = toolsWith();
    expect((await judgeAll(specAt(url), ['a'], { tools })).verdicts.map(gistOf)).toEqual(['http_error']);
    isRefused = false;
    await judgeAll(specAt(url), ['a'], { tools });
    expect(formats()).toEqual(['json_schema', 'json_object', 'text', 'json_schema']);
  });

  it('is the one that the spec names, and no other', async () => {
    const { url, formats } = await modelServer(() => 400);
    const { verdicts } = await judgeAll(specAt(url, { structured: 'json_object' }), ['a']);
    expect([formats(), verdicts.map(gistOf)]).toEqual([['json_object'], ['http_error']]);
  });
});

describe('a reply that cannot be used', () => {
  it.each([
    ['malformed', 'not_json'],
    ['truncated', 'truncated'],
    ['refusing', 'not_json'],
  ])('because the model is %s is asked for once more, and then is a monitor error', async (habit, reason) => {
    const { url, requests } = await simulate();
    const { verdicts, uses } = await judgeAll(specAt(url, { config: { model: `sim-monitor-${habit}` } }), [
      '2 + 2 = 5.',
    ]);
    expect(verdicts).toEqual([
      { status: 'monitor_error', stepIndex: 0, reason, durationMs: expect.any(Number) as number },
    ]);
    expect(uses).toHaveLength(2);
    const [first, second] = requests().map(({ body }) => bodySchema.parse(body));
    expect(second?.messages.at(-1)?.content).toBe(
      `${first?.messages.at(-1)?.content ?? ''}\n\n${RETRY_NOTE}`,
    );
    expect([first?.max_tokens, second?.max_tokens]).toEqual([1024, habit === 'truncated' ? 2048 : 1024]);
  });

  it('is not missed when the second one can be used', async () => {
    const { url } = await modelServer(({ messages }) =>
      messages.at(-1)?.content.includes(RETRY_NOTE) ? alarm : 'Hm.',
    );
    expect((await judgeAll(specAt(url), ['It is 6.'])).verdicts.map(gistOf)).toEqual(['2b']);
  });

  it('because it is filtered, refused in a field or empty says so', async () => {
    const events = {
      filtered: chatEvent({ content: clear }, 'content_filter'),
      refusal: chatEvent({ refusal: 'No.', content: clear }, 'stop'),
      empty: chatEvent({}, 'stop'),
    };
    for (const [reason, event] of Object.entries(events)) {
      let asked = 0;
      const url = await startServer(({ response }) => {
        asked += 1;
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(event);
      });
      expect((await judgeAll(specAt(url), ['a'])).verdicts.map(gistOf)).toEqual([reason]);
      expect(asked).toBe(reason === 'empty' ? 2 : 1);
    }
  });
});

describe('a request that fails', () => {
  it('is sent again, and every attempt is booked', async () => {
    const { url } = await simulate({
      fault: (index) =>
        index === 0
          ? { type: 'status', status: 503 }
          : index === 1
            ? { type: 'cut', afterTokens: 3 }
            : undefined,
    });
    const { redis, prefix } = testRedis();
    const limiter = new RequestLimiter({ redis, keys: createKeys(prefix), log: silentLog });
    const { verdicts, uses } = await judgeAll(specAt(url), ['2 + 2 = 5.'], { tools: toolsWith({ limiter }) });
    expect(verdicts.map(gistOf)).toEqual(['2b']);
    expect(uses.map(({ calls, tokensIn }) => [calls, tokensIn > 0])).toEqual([
      [1, false],
      [1, true],
      [1, true],
    ]);
    const told = new Map([...limiter.samples()].map(({ name, value }) => [name, value]));
    expect(told.get('haltline_model_retries_total')).toBe(2);
    expect(told.get('haltline_model_retry_wait_seconds_total')).toBeGreaterThan(0);
  });

  it('after part of its reply is believed if that is an alarm, and never if it is none', async () => {
    for (const [text, gist] of [
      [alarm, '2b'],
      [clear, 'connection_reset'],
    ] as const) {
      const url = await startServer(({ response, socket }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chatEvent({ content: text }), () => socket.destroy());
      });
      expect((await judgeAll(specAt(url), ['It is 6.'])).verdicts.map(gistOf)).toEqual([gist]);
    }
  });

  it('because nobody listens costs nothing and is a monitor error', async () => {
    const simulator = await simulate();
    await simulator.close();
    const { verdicts, uses } = await judgeAll(specAt(simulator.url), ['a']);
    expect(verdicts.map(gistOf)).toEqual(['connection_refused']);
    expect(uses.every(({ tokensIn, tokensOut }) => tokensIn + tokensOut === 0)).toBe(true);
  });

  it('because the model is dead ends at the limit of a judgement, with what was sent as its cost', async () => {
    const { url } = await simulate();
    const spec = specAt(url, { config: { model: 'sim-monitor-dead' }, timeouts: { totalMs: 300 } });
    const { verdicts, uses } = await judgeAll(spec, ['2 + 2 = 5.']);
    expect(verdicts.map(gistOf)).toEqual(['timeout']);
    const sent = countTokens(buildPrompt('typed')) + countTokens(problem.query) + countTokens('2 + 2 = 5.');
    expect(uses).toEqual([{ calls: 1, tokensIn: sent, tokensOut: 0, tokensCached: 0 }]);
  });
});

describe('a judgement that is called off', () => {
  it('closes its socket, is booked and gives no verdict', async () => {
    const { url, openRequests } = await simulate();
    const controller = new AbortController();
    const uses: MonitorUse[] = [];
    const chain = createModelMonitor(
      specAt(url, { config: { model: 'sim-monitor-dead' } }),
      toolsWith(),
    ).watch(problem);
    const judging = chain.judge(stepOf('a', 0), {
      signal: controller.signal,
      book: (use) => void uses.push(use),
    });
    await expect.poll(openRequests).toBe(1);
    controller.abort();
    await expect(judging).rejects.toThrow('aborted');
    await expect.poll(openRequests).toBe(0);
    expect(uses.map(({ calls, tokensIn }) => [calls, tokensIn > 0])).toEqual([[1, true]]);
  });

  it('while it waits for a slot sends nothing', async () => {
    const { url, requests } = await simulate();
    const slots = new Slots(1);
    await slots.take(noAbort);
    const controller = new AbortController();
    const judging = judgeAll(specAt(url), ['a'], { tools: toolsWith({ slots }), signal: controller.signal });
    controller.abort();
    await expect(judging).rejects.toThrow('aborted');
    expect(requests()).toEqual([]);
  });
});

it('no more judgements are under way at once than there are slots', async () => {
  let [open, most] = [0, 0];
  const url = await startServer(({ response }) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(chatEvent({ content: clear }, 'stop'));
    }, 20);
  });
  const chain = createModelMonitor(specAt(url), toolsWith({ slots: new Slots(3) })).watch(problem);
  const book = () => undefined;
  const verdicts = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      chain.judge(stepOf(`s${index}`, index), { signal: noAbort, book }),
    ),
  );
  expect(verdicts.map(({ stepIndex }) => stepIndex)).toEqual([...Array(12).keys()]);
  expect(most).toBe(3);
});

describe('an API key', () => {
  const config = { apiKeyEnv: 'MONITOR_KEY' };

  it('is read by the name of its variable and sent with the request', async () => {
    const seen: (string | undefined)[] = [];
    const { url } = await modelServer((_, { headers }) => {
      seen.push(headers.authorization);
      return clear;
    });
    await judgeAll(specAt(url, { config }), ['a'], { tools: toolsWith({ env: { MONITOR_KEY: 'k-123' } }) });
    await judgeAll(specAt(url), ['a']);
    expect(seen).toEqual(['Bearer k-123', undefined]);
  });

  it('that is not set is a monitor error, and nothing is sent', async () => {
    const { url, bodies } = await modelServer(() => clear);
    expect((await judgeAll(specAt(url, { config }), ['a'])).verdicts.map(gistOf)).toEqual(['KEY_UNSET']);
    expect(bodies).toEqual([]);
  });
});

it('tokens that the server had in its cache are booked as such', async () => {
  const usage = { prompt_tokens: 900, completion_tokens: 40, prompt_tokens_details: { cached_tokens: 800 } };
  const url = await startServer(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      `${chatEvent({ content: clear }, 'stop')}data: ${JSON.stringify({ choices: [], usage })}\n\n`,
    );
  });
  const { uses } = await judgeAll(specAt(url), ['a'], { tools: toolsWith({ formats: new KnownFormats() }) });
  expect(uses).toEqual([{ calls: 1, tokensIn: 900, tokensOut: 40, tokensCached: 800 }]);
});
