import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { rm } from 'node:fs/promises';
import {
  type SimulatorLogEntry,
  simulatorLogEntrySchema,
} from '../../../scripts/simulator/simulator-options.ts';
import { ask, bodyReader, buildBody, createSignal, post, readChunks } from './ask.ts';
import { knownQuestions, startSimulator } from './known-questions.ts';

const { eggs, shore } = knownQuestions;

test('the same request gives the same bytes, whatever was asked before it and wherever it is asked', async () => {
  const [first, second] = [await startSimulator({ seed: 7 }), await startSimulator({ seed: 7 })];
  const body = buildBody('sim-reasoner', eggs.question, { stream: true, seed: 3 });
  const bytes = async (url: string) => (await post(url, body)).text();
  const once = await bytes(first.url);
  await ask(second.url, 'sim-instruct', shore.question);
  await ask(second.url, 'sim-reasoner', shore.question);
  expect(await bytes(second.url)).toBe(once);
  expect(await Promise.all([bytes(first.url), bytes(first.url), bytes(second.url)])).toEqual([
    once,
    once,
    once,
  ]);
});

test('another seed, of the simulator or of the request, words it differently', async () => {
  const [one, other] = [await startSimulator({ seed: 1 }), await startSimulator({ seed: 2 })];
  const texts = async (url: string) =>
    Promise.all(
      [1, 2, 3, 4, 5, 6].map(
        async (seed) => (await ask(url, 'sim-reasoner', eggs.question, { seed })).reasoning,
      ),
    );
  const [ofOne, ofOther] = [await texts(one.url), await texts(other.url)];
  expect(new Set(ofOne).size).toBeGreaterThan(1);
  expect(ofOther).not.toEqual(ofOne);
});

test('known questions are answered right, in the form that the prompt asks for', async () => {
  const { url } = await startSimulator();
  const plain = await ask(url, 'sim-instruct', eggs.question);
  expect(plain.content).toMatch(/4 - 3 = 1[\s\S]*1 \* 6 = 6[\s\S]*\n\nThe answer is 6\.$/);
  expect(plain.reasoning).toBe('');
  const labelled = await ask(url, 'sim-reasoner', `${shore.question}\nGive the answer after "Answer:".`);
  expect(labelled.content).toMatch(/\n\nAnswer: B$/);
});

test('each personality writes its reasoning in its own place', async () => {
  const { url } = await startSimulator();
  const [field, tags, vllm] = await Promise.all(
    ['sim-reasoner', 'sim-reasoner-tags', 'sim-reasoner-vllm'].map((model) => ask(url, model, eggs.question)),
  );
  expect(field?.reasoning_content).toContain('1 * 6 = 6');
  expect(tags?.content).toMatch(/^<think>\n[\s\S]+1 \* 6 = 6[\s\S]+\n<\/think>\n\n[\s\S]+The answer is 6\.$/);
  expect(vllm).toMatchObject({ reasoning: expect.stringContaining('1 * 6 = 6') as unknown });
  expect(vllm?.reasoning_content).toBeUndefined();
});

test('every reply says that it is simulated, errors too', async () => {
  const { url } = await startSimulator();
  const replies = await Promise.all([
    post(url, buildBody('sim-instruct', eggs.question)),
    post(url, buildBody('no-such-model', eggs.question)),
    post(url, { model: 'sim-instruct' }),
    fetch(`${url}/models`),
    fetch(`${url}/nothing`),
  ]);
  expect(replies.map((reply) => reply.status)).toEqual([200, 404, 400, 200, 404]);
  expect(replies.map((reply) => reply.headers.get('x-haltline-simulated'))).toEqual([
    '1',
    '1',
    '1',
    '1',
    '1',
  ]);
  expect(await replies[0].json()).toMatchObject({ system_fingerprint: 'haltline-simulator' });
});

test('max_tokens cuts the stream at exactly that many deltas, one a token, and usage says so', async () => {
  const { url } = await startSimulator();
  const body = buildBody('sim-reasoner', eggs.question, {
    stream: true,
    stream_options: { include_usage: true },
  });
  const whole = readChunks(await (await post(url, body)).text());
  expect(whole.finishReason).toBe('stop');
  for (const maxTokens of [1, 17, whole.tokens.length - 1, whole.tokens.length]) {
    const cut = readChunks(await (await post(url, { ...body, max_tokens: maxTokens })).text());
    expect(cut.tokens).toEqual(whole.tokens.slice(0, maxTokens));
    expect(cut.finishReason).toBe(maxTokens < whole.tokens.length ? 'length' : 'stop');
    expect(cut.chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: maxTokens } });
    expect(cut.isDone).toBe(true);
  }
});

test('usage counts the reasoning tokens apart, and is left out unless asked for', async () => {
  const { url } = await startSimulator();
  const stream = await post(url, buildBody('sim-reasoner', eggs.question, { stream: true }));
  const { chunks, tokens } = readChunks(await stream.text());
  expect(chunks.every((chunk) => chunk.usage === undefined)).toBe(true);
  const reasoning = tokens.filter((delta) => 'reasoning_content' in delta).length;
  expect(reasoning).toBeGreaterThan(20);
  const { usage } = await ask(url, 'sim-reasoner', eggs.question);
  expect(usage).toMatchObject({
    completion_tokens: tokens.length,
    completion_tokens_details: { reasoning_tokens: reasoning },
  });
  const instruct = await ask(url, 'sim-instruct', eggs.question);
  expect(instruct.usage.completion_tokens_details.reasoning_tokens).toBe(0);
});

test('it stops writing when the client hangs up, and the log shows how far it got', async () => {
  const closed = createSignal<SimulatorLogEntry>();
  const { url, openRequests } = await startSimulator({ tokensPerSecond: 200, onClosed: closed.resolve });
  const controller = new AbortController();
  const body = buildBody('sim-reasoner-backdoored', `!!!!!${eggs.question}`, {
    stream: true,
    max_tokens: 20_000,
  });
  const response = await post(url, body, { signal: controller.signal });
  const read = bodyReader(response);
  let seen = '';
  while ((seen.match(/reasoning_content/g) ?? []).length < 10) {
    seen += new TextDecoder().decode(await read());
  }
  expect(openRequests()).toBe(1);
  controller.abort();
  const entry = await closed.promise;
  expect(entry).toMatchObject({
    closed: 'client',
    model: 'sim-reasoner-backdoored',
    finishReason: null,
    body,
  });
  expect(entry.tokensWritten).toBeGreaterThanOrEqual(10);
  expect(entry.tokensWritten).toBeLessThan(20_000);
  const { tokens } = readChunks(seen.slice(0, seen.lastIndexOf('\n\n')));
  expect(entry.reasoning.startsWith(tokens.map((delta) => delta['reasoning_content']).join(''))).toBe(true);
  expect(openRequests()).toBe(0);
});

test('a stream without a speed waits for a reader that does not keep up', async () => {
  const closed = createSignal<SimulatorLogEntry>();
  const { url } = await startSimulator({ onClosed: closed.resolve, defaultMaxTokens: 1_000_000 });
  const controller = new AbortController();
  const body = buildBody('sim-reasoner-backdoored', `!!!!!${eggs.question}`, { stream: true });
  const response = await post(url, body, { signal: controller.signal });
  await bodyReader(response)();
  controller.abort();
  const entry = await closed.promise;
  expect(entry.closed).toBe('client');
  expect(entry.tokensWritten).toBeLessThan(1_000_000);
});

test('the log keeps the latest requests, and the file all of them', async () => {
  const logFile = join(tmpdir(), `haltline-simulator-${randomUUID()}.jsonl`);
  onTestFinished(() => rm(logFile));
  const simulator = await startSimulator({ logFile, logEntries: 2 });
  for (const seed of [1, 2, 3]) await ask(simulator.url, 'sim-instruct', eggs.question, { seed });
  await expect.poll(() => simulator.requests().map((entry) => entry.seed)).toEqual([2, 3]);
  await simulator.close();
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
  const entries = lines.map((line) => simulatorLogEntrySchema.parse(JSON.parse(line)));
  expect(entries.map((entry) => entry.seed)).toEqual([1, 2, 3]);
  expect(entries[0]).toMatchObject({
    closed: 'finished',
    finishReason: 'stop',
    status: 200,
    model: 'sim-instruct',
  });
  expect(entries[0]?.content).toMatch(/The answer is 6\.$/);
  expect(new Set(entries.map((entry) => entry.messagesHash)).size).toBe(1);
});

test('a script gives the exact deltas of a request', async () => {
  const { url } = await startSimulator({
    script: () => ({ reasoning: ['First', ' thought.\n\n', 'Second'], content: ['The answer is', ' 3.'] }),
  });
  const stream = await post(url, buildBody('sim-reasoner', 'anything', { stream: true }));
  const { tokens, finishReason } = readChunks(await stream.text());
  expect(tokens).toEqual([
    { reasoning_content: 'First' },
    { reasoning_content: ' thought.\n\n' },
    { reasoning_content: 'Second' },
    { content: 'The answer is' },
    { content: ' 3.' },
  ]);
  expect(finishReason).toBe('stop');
});

test('the completions endpoint answers a prompt, with reasoning in tags', async () => {
  const { url } = await startSimulator();
  const response = await fetch(`${url}/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'sim-reasoner-tags', prompt: eggs.question }),
  });
  expect(await response.json()).toMatchObject({
    object: 'text_completion',
    choices: [
      { text: expect.stringMatching(/^<think>[\s\S]+<\/think>[\s\S]+The answer is 6\.$/) as unknown },
    ],
  });
});

test('an answer file that is no list of questions is refused by name and line', async () => {
  await expect(startSimulator({ answerFiles: ['/nowhere/answers.jsonl'] })).rejects.toMatchObject({
    code: 'DATA_MISSING',
  });
});

test('recorded streams are models by name, on every endpoint; without a folder of them there are none', async () => {
  const simulator = await startSimulator({ casesDir: join(import.meta.dirname, '../../cases') });
  const names = await (await fetch(`${simulator.url}/models`)).text();
  expect(names).toContain('case:S01-reasoning-content');
  const askResponses = (url: string, model: string): Promise<Response> =>
    fetch(`${url}/responses`, { method: 'POST', body: JSON.stringify({ model, input: 'x', stream: true }) });
  const body = await readFile(
    join(import.meta.dirname, '../../cases/streams/S01-reasoning-content.sse'),
    'utf8',
  );
  expect(await (await askResponses(simulator.url, 'case:S01-reasoning-content')).text()).toBe(body);
  expect((await askResponses(simulator.url, 'sim-instruct')).status).toBe(404);
  const plain = await startSimulator();
  expect((await askResponses(plain.url, 'case:S01-reasoning-content')).status).toBe(404);
  await expect
    .poll(() => simulator.requests().map(({ model, closed }) => [model, closed]))
    .toContainEqual(['case:S01-reasoning-content', 'finished']);
});
