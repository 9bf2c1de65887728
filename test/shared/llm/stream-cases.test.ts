import { describe, expect, it } from 'vitest';
import {
  allStreamCases,
  bodyWrites,
  cutAt,
  decodeCase,
  expectation,
  inCaseWords,
  type StreamCase,
} from './case-files.ts';
import { startServer, write, type Exchange } from './raw-server.ts';
import { stream, targetAt } from './target.ts';

const SHORT_MS = 250;
const cases = allStreamCases();

async function play(streamCase: StreamCase, exchange: Exchange): Promise<void> {
  const { response, socket } = exchange;
  response.writeHead(streamCase.response.status, streamCase.response.headers);
  for (const bytes of bodyWrites(streamCase)) if (bytes.length > 0) await write(response, bytes);
  response.flushHeaders();
  const { end } = streamCase.delivery;
  if (end === 'clean') response.end();
  if (end === 'reset') socket.destroy();
  if (end !== 'keepalive_forever') return;
  const timer = setInterval(() => response.write(': keep-alive\n\n'), 50);
  await exchange.closed();
  clearInterval(timer);
}

/** Plays a case over a socket; the caller of a `client_abort` aborts when all the text of the body has arrived. */
async function readOverHttp(streamCase: StreamCase) {
  const { end } = streamCase.delivery;
  const controller = new AbortController();
  const { deltas, deltasBeforeEnd } = decodeCase(streamCase, [streamCase.body]);
  const expected = deltas.slice(0, deltasBeforeEnd).reduce((sum, delta) => sum + delta.text.length, 0);
  let received = 0;
  const baseUrl = await startServer(async (exchange) => {
    await play(streamCase, exchange);
    // Without any text there is nothing to wait for but the bytes themselves.
    if (end === 'client_abort' && expected === 0) setTimeout(() => controller.abort(), SHORT_MS);
  });
  const limitMs = end === 'stall' || end === 'keepalive_forever' ? SHORT_MS : 20_000;
  const timeouts = { firstPayloadMs: limitMs, idleMs: limitMs, totalMs: 20_000 };
  const target = targetAt(baseUrl, { ...streamCase.target, timeouts, config: { api: streamCase.api } });
  return stream(target, {
    signal: controller.signal,
    onDelta: (delta) => {
      received += delta.text.length;
      if (end === 'client_abort' && received >= expected) controller.abort();
    },
  });
}

describe('the recorded streams', () => {
  it.each(cases.map((streamCase) => [streamCase.id, streamCase] as const))(
    '%s is read as expected over HTTP',
    async (_id, streamCase) => {
      expect(inCaseWords(await readOverHttp(streamCase))).toEqual(expectation(streamCase));
    },
  );

  it.each(cases.map((streamCase) => [streamCase.id, streamCase] as const))(
    '%s is read as expected however its bytes are cut',
    (_id, streamCase) => {
      const { body } = streamCase;
      const expected = expectation(streamCase);
      // A cut at every byte is quadratic in the body; of the few large ones, some hundred cuts are tried.
      const stride = Math.max(1, Math.floor(body.length / 2_000));
      for (let cut = 0; cut <= body.length; cut += stride) {
        const { reply } = decodeCase(streamCase, cutAt(body, [cut]));
        expect(inCaseWords(reply), `cut at byte ${cut}`).toEqual(expected);
      }
      const bytes = [...body].map((byte) => Buffer.from([byte]));
      expect(inCaseWords(decodeCase(streamCase, bytes).reply)).toEqual(expected);
    },
  );
});
