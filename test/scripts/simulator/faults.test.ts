import { expect, test } from 'vitest';
import type { SimulatorLogEntry } from '../../../scripts/simulator/simulator-options.ts';
import { parseFault, splitModelName } from '../../../scripts/simulator/faults.ts';
import { bodyReader, buildBody, createSignal, post, readChunks } from './ask.ts';
import { knownQuestions, startSimulator } from './known-questions.ts';

const { eggs } = knownQuestions;
const body = (model: string) => buildBody(model, eggs.question, { stream: true });

/** Reads until the stream ends or breaks. */
async function readAll(response: Response): Promise<{ bytes: Buffer; broke: boolean }> {
  const parts: Uint8Array[] = [];
  const read = bodyReader(response);
  try {
    for (let part = await read(); part !== undefined; part = await read()) parts.push(part);
    return { bytes: Buffer.concat(parts), broke: false };
  } catch {
    return { bytes: Buffer.concat(parts), broke: true };
  }
}

test('a fault text is read, and anything else is none', () => {
  expect(parseFault('429@2')).toEqual({ type: 'status', status: 429, retryAfterSeconds: 2 });
  expect(parseFault('500')).toEqual({ type: 'status', status: 500 });
  expect(parseFault('cut@40')).toEqual({ type: 'cut', afterTokens: 40 });
  expect(parseFault('slow@2.5')).toEqual({ type: 'slow', tokensPerSecond: 2.5 });
  expect(parseFault('hang')).toEqual({ type: 'hang' });
  for (const text of ['', '200', 'cut@-1', 'slow', 'explode', 'cut@x'])
    expect(parseFault(text)).toBeUndefined();
  expect(splitModelName('sim-instruct+cut@40')).toMatchObject({
    model: 'sim-instruct',
    fault: { type: 'cut' },
  });
  expect(splitModelName('vendor/model+plus')).toEqual({ model: 'vendor/model+plus', fault: undefined });
});

test('an HTTP error carries its status, a Retry-After and a JSON error', async () => {
  const { url } = await startSimulator();
  const response = await post(url, body('sim-instruct'), { headers: { 'x-haltline-fault': '429@2' } });
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
  expect(await response.json()).toMatchObject({ error: { type: 'server_error' } });
});

test('a cut destroys the socket after exactly that many tokens', async () => {
  const { url, requests } = await startSimulator();
  const { bytes, broke } = await readAll(await post(url, body('sim-instruct+cut@12')));
  expect(broke).toBe(true);
  const text = bytes.toString();
  expect(readChunks(text.slice(0, text.lastIndexOf('\n\n'))).tokens).toHaveLength(12);
  await expect.poll(() => requests()[0]).toMatchObject({ closed: 'fault', fault: 'cut', tokensWritten: 12 });
});

test('a cut inside a character leaves bytes that are no UTF-8', async () => {
  const { url } = await startSimulator();
  const { bytes, broke } = await readAll(await post(url, body('sim-instruct+cut-utf8@3')));
  expect(broke).toBe(true);
  expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow(TypeError);
});

test('a stream can end cleanly with neither finish_reason nor [DONE], or with an error in it', async () => {
  const { url } = await startSimulator();
  const ended = await readAll(await post(url, body('sim-instruct+end@5')));
  expect(ended.broke).toBe(false);
  expect(readChunks(ended.bytes.toString())).toMatchObject({ isDone: false, finishReason: undefined });
  const failed = await readAll(await post(url, body('sim-instruct+error-event@5')));
  expect(failed.bytes.toString()).toMatch(/data: \{"error":\{[^\n]+\}\n\n$/);
});

test('a stall keeps the stream open and silent until the client gives up', async () => {
  const closed = createSignal<SimulatorLogEntry>();
  const { url, openRequests } = await startSimulator({ onClosed: closed.resolve });
  const controller = new AbortController();
  const response = await post(url, body('sim-instruct+stall@8'), { signal: controller.signal });
  const read = bodyReader(response);
  let text = '';
  while ((text.match(/"delta":\{"content":"[^"]/g) ?? []).length < 8) {
    text += new TextDecoder().decode(await read());
  }
  expect(openRequests()).toBe(1);
  controller.abort();
  expect(await closed.promise).toMatchObject({ closed: 'fault', fault: 'stall', tokensWritten: 8 });
});

test('a refused request gets no reply, and a hanging one not even headers', async () => {
  const { url, openRequests } = await startSimulator();
  await expect(post(url, body('sim-instruct+refuse'))).rejects.toThrow(TypeError);
  const controller = new AbortController();
  const hanging = post(url, body('sim-instruct+hang'), { signal: controller.signal });
  await expect.poll(openRequests).toBe(1);
  controller.abort();
  await expect(hanging).rejects.toThrow('aborted');
});

test('a function can strike chosen requests only', async () => {
  const { url } = await startSimulator({
    fault: (requestIndex) => (requestIndex < 2 ? { type: 'status', status: 500 } : undefined),
  });
  const statuses = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await post(url, body('sim-instruct'))).status);
  expect(statuses).toEqual([500, 500, 200]);
});

test('a share of faults strikes by the seed, and a retry is drawn anew', async () => {
  const options = { seed: 5, faults: [{ fault: '503', share: 0.5 }] };
  const ask = async (url: string) => {
    const statuses = [];
    for (let count = 0; count < 30; count += 1) statuses.push((await post(url, body('sim-instruct'))).status);
    return statuses;
  };
  const [first, second] = [await startSimulator(options), await startSimulator(options)];
  const statuses = await ask(first.url);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  expect(await ask(second.url)).toEqual(statuses);
});
