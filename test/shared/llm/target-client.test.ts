import { createServer } from 'node:net';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { streamOnce } from '../../../shared/llm/target-client.ts';
import { wallClockMs } from '../../../shared/llm/wall-clock.ts';
import { chatEvent, portOf, startServer, write, type Exchange } from './raw-server.ts';
import { noAbort, request, stream, targetAt } from './target.ts';

const done = 'data: [DONE]\n\n';
const reply = chatEvent({ content: 'hello' }) + chatEvent({}, 'stop') + done;

function answerWith(body: string): (exchange: Exchange) => void {
  return ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(body);
  };
}

/** A server that answers and keeps what it was asked. */
async function recordingServer(body = reply): Promise<{ baseUrl: string; asked: Exchange[] }> {
  const asked: Exchange[] = [];
  const baseUrl = await startServer((exchange) => {
    asked.push(exchange);
    answerWith(body)(exchange);
  });
  return { baseUrl, asked };
}

function jsonBody(exchange: Exchange | undefined): unknown {
  return JSON.parse(exchange?.body ?? 'null');
}

describe('a request', () => {
  it('of the chat API asks for a stream with usage, and carries vendor fields as they are', async () => {
    const { baseUrl, asked } = await recordingServer();
    const extraBody = { chat_template_kwargs: { enable_thinking: true }, stream: false };
    const target = targetAt(baseUrl, {
      apiKey: 'k',
      config: { extraBody, maxTokensField: 'max_completion_tokens' },
    });
    const decoding = { temperature: 0, topP: 0.9, seed: 7, stop: ['END'] };
    await streamOnce(target, { ...request, ...decoding }, { onDelta: () => undefined }, noAbort);
    expect(asked[0]?.path).toBe('/v1/chat/completions');
    expect(asked[0]?.headers.authorization).toBe('Bearer k');
    expect(jsonBody(asked[0])).toEqual({
      ...{ model: 'm', messages: request.messages, max_completion_tokens: 64, n: 1 },
      ...{ temperature: 0, top_p: 0.9, seed: 7, stop: ['END'] },
      ...{ stream: true, stream_options: { include_usage: true } },
      chat_template_kwargs: { enable_thinking: true },
    });
  });

  it('of the completions API sends the messages as one prompt', async () => {
    const { baseUrl, asked } = await recordingServer(
      'data: {"choices":[{"text":"42","finish_reason":"stop"}]}\n\n',
    );
    const end = await stream(targetAt(baseUrl, { config: { api: 'completions' } }));
    expect(end).toMatchObject({ status: 'complete', answer: '42' });
    expect(asked[0]?.path).toBe('/v1/completions');
    expect(jsonBody(asked[0])).toMatchObject({
      prompt: 'What is 6 x 7?',
      max_tokens: 64,
      stream: true,
      n: 1,
    });
  });

  it('of the Responses API bounds output tokens', async () => {
    const { baseUrl, asked } = await recordingServer();
    await stream(targetAt(baseUrl, { config: { api: 'responses' } }));
    expect(asked[0]?.path).toBe('/v1/responses');
    expect(jsonBody(asked[0])).toEqual({
      model: 'm',
      input: request.messages,
      max_output_tokens: 64,
      stream: true,
    });
  });

  it('without a key has no authorization header, whatever the environment holds', async () => {
    const before = process.env['OPENAI_API_KEY'];
    process.env['OPENAI_API_KEY'] = 'from the environment';
    onTestFinished(() => {
      if (before === undefined) delete process.env['OPENAI_API_KEY'];
      else process.env['OPENAI_API_KEY'] = before;
    });
    const { baseUrl, asked } = await recordingServer();
    expect(await stream(targetAt(baseUrl))).toMatchObject({ status: 'complete' });
    expect(asked[0]?.headers.authorization).toBeUndefined();
  });

  it('tells whether the server is a simulator', async () => {
    const real = await startServer(answerWith(reply));
    const simulator = await startServer((exchange) => {
      exchange.response.setHeader('x-haltline-simulated', '1');
      answerWith(reply)(exchange);
    });
    expect(await stream(targetAt(real))).toMatchObject({ simulated: false });
    expect(await stream(targetAt(simulator))).toMatchObject({ simulated: true });
  });

  it('records when it began, first heard, first read and ended, in this order', async () => {
    const baseUrl = await startServer(async ({ response }) => {
      await write(response, chatEvent({ role: 'assistant' }));
      response.end(reply);
    });
    // The same clock: the system's own is set right now and then, by milliseconds.
    const beforeMs = wallClockMs();
    const end = await stream(targetAt(baseUrl));
    const times = z
      .array(z.number())
      .parse([
        ...[beforeMs, end.requestStartedAtMs, end.firstPayloadAtMs, end.firstDeltaAtMs, end.closedAtMs],
        wallClockMs(),
      ]);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('uses the connection of an earlier one that ended with [DONE]', async () => {
    const { baseUrl, asked } = await recordingServer();
    for (let turn = 0; turn < 3; turn++) {
      expect(await stream(targetAt(baseUrl))).toMatchObject({ status: 'complete' });
      // The end of the body may stand behind [DONE] in a later read.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(new Set(asked.map((exchange) => exchange.socket)).size).toBe(1);
  });

  it('is sent again when the idle connection that it got turns out to be closed', async () => {
    const { baseUrl, asked } = await recordingServer();
    await stream(targetAt(baseUrl));
    await new Promise((resolve) => setImmediate(resolve));
    asked[0]?.socket.destroy();
    expect(await stream(targetAt(baseUrl))).toMatchObject({ status: 'complete', answer: 'hello' });
  });
});

describe('an abort', () => {
  it('closes the socket at once and keeps the text so far', async () => {
    const controller = new AbortController();
    let closed: Promise<void> | undefined;
    const baseUrl = await startServer(({ response, closed: whenClosed }) => {
      closed = whenClosed();
      response.write(chatEvent({ reasoning: 'one' }));
    });
    const end = await stream(targetAt(baseUrl), {
      signal: controller.signal,
      onDelta: () => controller.abort(),
    });
    expect(end).toMatchObject({ status: 'aborted', reasoning: 'one', error: null, usage: null });
    await closed;
  });

  it('from inside a handler still delivers what the same read had brought', async () => {
    const controller = new AbortController();
    const events = ['one ', 'two ', 'three<'].map((text) => chatEvent({ content: text }));
    const baseUrl = await startServer(({ response }) => {
      response.write(events.join(''));
    });
    const end = await stream(targetAt(baseUrl), {
      signal: controller.signal,
      onDelta: () => controller.abort(),
    });
    expect(end.deltas.map((delta) => delta.text)).toEqual(['one ', 'two ', 'three', '<']);
    expect(end).toMatchObject({ status: 'aborted', answer: 'one two three<' });
  });

  it('before the response closes the socket too', async () => {
    const controller = new AbortController();
    let closed: Promise<void> | undefined;
    const baseUrl = await startServer((exchange) => {
      closed = exchange.closed();
      controller.abort();
    });
    const end = await stream(targetAt(baseUrl), { signal: controller.signal });
    expect(end).toMatchObject({ status: 'aborted', httpStatus: null, firstPayloadAtMs: null });
    await closed;
  });

  it('before the request sends nothing', async () => {
    const { baseUrl, asked } = await recordingServer();
    expect(await stream(targetAt(baseUrl), { signal: AbortSignal.abort() })).toMatchObject({
      status: 'aborted',
    });
    expect(asked).toEqual([]);
  });
});

describe('a server', () => {
  const limits = { firstPayloadMs: 20_000, idleMs: 20_000, totalMs: 20_000 };

  it('that accepts and never answers runs into the limit of the first payload', async () => {
    const sockets: { destroy(): void }[] = [];
    const server = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const target = targetAt(`http://127.0.0.1:${portOf(server.address())}/v1`, {
      timeouts: { ...limits, firstPayloadMs: 100 },
    });
    expect(await stream(target)).toMatchObject({
      ...{ status: 'failed', httpStatus: null },
      error: { kind: 'idle_timeout', retryable: true },
    });
  });

  it('that sends headers and keep-alives only runs into the limit of the first payload', async () => {
    const baseUrl = await startServer(async ({ response, closed }) => {
      const timer = setInterval(() => response.write(': wait\n\ndata: : wait\n\ndata:\n\n'), 20);
      await closed();
      clearInterval(timer);
    });
    const target = targetAt(baseUrl, { timeouts: { ...limits, firstPayloadMs: 150 } });
    expect(await stream(target)).toMatchObject({ error: { kind: 'idle_timeout' }, firstPayloadAtMs: null });
  });

  it('that goes on for ever runs into the total limit', async () => {
    const baseUrl = await startServer(async ({ response, closed }) => {
      const timer = setInterval(() => response.write(chatEvent({ content: 'x' })), 20);
      await closed();
      clearInterval(timer);
    });
    const end = await stream(targetAt(baseUrl, { timeouts: { ...limits, totalMs: 200 } }));
    expect(end).toMatchObject({ status: 'failed', error: { kind: 'total_timeout', retryable: false } });
    expect(end.answer).toMatch(/^x+$/);
  });

  it('that stays open after the finish reason has completed', async () => {
    const baseUrl = await startServer(({ response }) => {
      response.write(chatEvent({ content: 'hello' }, 'stop'));
    });
    const target = targetAt(baseUrl, { timeouts: { ...limits, afterFinishMs: 50 } });
    expect(await stream(target)).toMatchObject({ status: 'complete', answer: 'hello' });
  });

  it('that stays open after [DONE] is left at once', async () => {
    let closed: Promise<void> | undefined;
    const baseUrl = await startServer((exchange) => {
      closed = exchange.closed();
      exchange.response.write(reply);
    });
    expect(await stream(targetAt(baseUrl))).toMatchObject({ status: 'complete', answer: 'hello' });
    await closed;
  });

  it('that refuses connections is a retryable failure', async () => {
    const baseUrl = await new Promise<string>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const port = portOf(server.address());
        server.close(() => resolve(`http://127.0.0.1:${port}/v1`));
      });
    });
    expect(await stream(targetAt(baseUrl))).toMatchObject({
      ...{ status: 'failed', httpStatus: null },
      error: { kind: 'connection_refused', code: 'ECONNREFUSED', retryable: true },
    });
  });

  it('that hangs up before it answers is a retryable failure', async () => {
    const baseUrl = await startServer(({ socket }) => {
      socket.destroy();
    });
    expect(await stream(targetAt(baseUrl))).toMatchObject({
      error: { kind: 'connection_reset', retryable: true },
    });
  });

  it('that closes inside a character keeps the text before it', async () => {
    const baseUrl = await startServer(async ({ response, socket }) => {
      const bytes = Buffer.from(chatEvent({ content: 'caf' }) + chatEvent({ content: '\u00e9' }));
      await write(response, bytes.subarray(0, bytes.indexOf(0xc3) + 1));
      socket.destroy();
    });
    expect(await stream(targetAt(baseUrl))).toMatchObject({
      ...{ status: 'failed', answer: 'caf' },
      error: { kind: 'connection_reset' },
    });
  });

  it('that sends an endless error page is heard no longer than needed', async () => {
    let closed: Promise<void> | undefined;
    const baseUrl = await startServer((exchange) => {
      closed = exchange.closed();
      exchange.response.writeHead(500);
      // Newer Nodes still call back, with an error, for what is written to a closed connection.
      const more = (error?: Error | null): void => {
        if (!error) exchange.response.write('x'.repeat(10_000), more);
      };
      more();
    });
    expect(await stream(targetAt(baseUrl))).toMatchObject({ httpStatus: 500, error: { kind: 'http_error' } });
    await closed;
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('that compresses with %s, unasked, is read all the same', async (encoding, compress) => {
    const baseUrl = await startServer(({ headers, response }) => {
      expect(headers['accept-encoding']).toBe('identity');
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding });
      response.end(compress(reply));
    });
    expect(await stream(targetAt(baseUrl))).toMatchObject({ status: 'complete', answer: 'hello' });
  });

  it('that compresses is read as it writes, and left at once on abort', async () => {
    const controller = new AbortController();
    let closed: Promise<void> | undefined;
    const baseUrl = await startServer((exchange) => {
      closed = exchange.closed();
      exchange.response.writeHead(200, { 'content-encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(exchange.response);
      gzip.write(chatEvent({ content: 'hello' }));
      gzip.flush();
    });
    const end = await stream(targetAt(baseUrl), {
      signal: controller.signal,
      onDelta: () => controller.abort(),
    });
    expect(end).toMatchObject({ status: 'aborted', answer: 'hello' });
    await closed;
  });

  it('that compresses and breaks off, breaks the connection', async () => {
    const baseUrl = await startServer(async ({ response, socket }) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      await write(response, gzipSync(reply).subarray(0, 30));
      socket.destroy();
    });
    expect(await stream(targetAt(baseUrl))).toMatchObject({ error: { kind: 'connection_reset' } });
  });

  it.each(['gzip', 'deflate', 'br'])(
    'that only says that it compresses with %s is told so',
    async (encoding) => {
      const baseUrl = await startServer(({ response }) => {
        response.writeHead(200, { 'content-encoding': encoding });
        response.end(reply);
      });
      expect(await stream(targetAt(baseUrl))).toMatchObject({
        status: 'failed',
        error: { kind: 'body_undecodable', retryable: true },
      });
    },
  );

  it('that redirects is no event stream: keys are not carried elsewhere', async () => {
    const baseUrl = await startServer(({ response }) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/' });
      response.end('<html>moved</html>');
    });
    expect(await stream(targetAt(baseUrl))).toMatchObject({
      httpStatus: 302,
      error: { kind: 'not_event_stream' },
    });
  });
});

it('what a handler throws rejects the stream and closes the socket', async () => {
  let closed: Promise<void> | undefined;
  const baseUrl = await startServer((exchange) => {
    closed = exchange.closed();
    exchange.response.write(chatEvent({ content: 'hello' }));
  });
  const failing = stream(targetAt(baseUrl), {
    onDelta: () => {
      throw new Error('full');
    },
  });
  await expect(failing).rejects.toThrow('full');
  await closed;
});
