/**
 * What reading a stream costs: `npx tsx scripts/bench/stream-reader.ts`. Prints whether time grows linearly (one large
 * delta; one-byte writes; ratio 2 is linear), and CPU for each streamed token, one token a delta, against the plain
 * SDK loop over the same server in the same run (goal: at most 0.8 of it). Ours includes, in all of these, what a
 * generation worker does with each token: cutting the text into steps and counting their tokens; the SDK loop joins the
 * text, and no more.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import OpenAI from 'openai';
import { StreamDecoder } from '../../shared/llm/stream-decoder.ts';
import { streamOnce, type StreamTarget } from '../../shared/llm/target-client.ts';
import { ChainRecorder } from '../../workers/generation/chain-recorder.ts';

const TOKENS = 20_000;
/** Reasoning as models write it, in pieces of about a token; a paragraph of some 60 tokens is a step. */
const PIECES =
  (
    'Okay, let me work through this: the bakery sold 48 loaves on Monday and half as many on Tuesday, so Tuesday makes ' +
    '48 / 2 = 24 loaves. Together that is 48 + 24 = 72 loaves over both days.\n\nWait, the question asks for the money, ' +
    'not the loaves. Each loaf costs $3.50, so I need to multiply: 72 * 3.5 = 252. Let me check that again, because 70 ' +
    'times 3.5 is 245 and two more loaves add 7, which gives 252 as well.\n\nHmm, is there anything about a discount? ' +
    'No, nothing is said about one, therefore \\(72 \\times 3.5 = 252\\) dollars should be right.\n\n'
  ).match(/\s*\S{1,5}/g) ?? [];
const TEXT_LENGTH = Array.from({ length: TOKENS }, (_, index) => pieceAt(index).length).reduce(
  (a, b) => a + b,
);
const ROUNDS = 5;
const GROWTH_ROUNDS = 3;
const STREAMS = 4;

function pieceAt(index: number): string {
  return PIECES[index % PIECES.length] ?? '';
}

function chatEvent(content: string, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: finishReason }];
  const chunk = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'bench',
    choices,
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** The server, a process of its own: each token is a write of its own, in a turn of its own. */
async function serve(): Promise<void> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    sendTokens(response, TOKENS);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.(address.port);
}

function sendTokens(response: ServerResponse, left: number): void {
  if (left === 0) {
    response.end(`${chatEvent('', 'stop')}data: [DONE]\n\n`);
    return;
  }
  const isTaken = response.write(chatEvent(pieceAt(TOKENS - left)));
  if (isTaken) setImmediate(sendTokens, response, left - 1);
  else response.once('drain', () => sendTokens(response, left - 1));
}

async function readWithSdk(baseURL: string): Promise<number> {
  const client = new OpenAI({ baseURL, apiKey: 'unset', maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'x' }];
  const stream = await client.chat.completions.create({ model: 'bench', messages, stream: true });
  let text = '';
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  return text.length;
}

async function readWithOurs(apiBaseUrl: string): Promise<number> {
  const target: StreamTarget = {
    config: { apiBaseUrl, model: 'bench', api: 'chat', maxTokensField: 'max_tokens', extraBody: {} },
    think: 'auto',
    harmony: 'auto',
    timeouts: { firstPayloadMs: 60_000, idleMs: 60_000, totalMs: 600_000 },
  };
  const request = { messages: [{ role: 'user' as const, content: 'x' }], maxTokens: TOKENS };
  const recorder = new ChainRecorder('haltline', Date.now);
  let steps = 0;
  const onDelta = ({ kind, text }: { kind: 'reasoning' | 'content'; text: string }): void => {
    steps += recorder.push(kind, text).length;
  };
  const end = await streamOnce(target, request, { onDelta }, new AbortController().signal);
  if (end.status !== 'complete') throw new Error(`expected a complete stream, got ${end.status}`);
  steps += recorder.end().length;
  if (steps < TOKENS / 200 || recorder.tokens().content < TOKENS / 2) throw new Error('steps were lost');
  return end.answer.length;
}

/** CPU of this process in microseconds a token, user and system, over some streams at once. */
async function cpuPerToken(read: (baseUrl: string) => Promise<number>, baseUrl: string): Promise<number> {
  const before = process.cpuUsage();
  const lengths = await Promise.all(Array.from({ length: STREAMS }, () => read(baseUrl)));
  const { user, system } = process.cpuUsage(before);
  if (lengths.some((length) => length !== TEXT_LENGTH)) throw new Error('a reader lost text');
  return (user + system) / (STREAMS * TOKENS);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function benchTokens(): Promise<void> {
  const child: ChildProcess = fork(import.meta.filename, ['serve']);
  const port = await new Promise((resolve) => child.once('message', resolve));
  const baseUrl = `http://127.0.0.1:${Number(port)}/v1`;
  await cpuPerToken(readWithOurs, baseUrl);
  await cpuPerToken(readWithSdk, baseUrl);
  const ours: number[] = [];
  const sdk: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await cpuPerToken(readWithOurs, baseUrl));
    sdk.push(await cpuPerToken(readWithSdk, baseUrl));
  }
  child.kill();
  const ratio = median(ours) / median(sdk);
  console.log(`CPU a token, ${ROUNDS} rounds of ${STREAMS} streams of ${TOKENS} tokens, median:`);
  console.log(`  ours ${median(ours).toFixed(1)} us, plain SDK loop ${median(sdk).toFixed(1)} us`);
  console.log(`  ratio ${ratio.toFixed(2)} (goal <= 0.8)`);
}

interface Delivery {
  readonly body: Buffer;
  readonly pieceBytes: number;
}

function decodeMs({ body, pieceBytes }: Delivery): number {
  const recorder = new ChainRecorder('haltline', Date.now);
  const decoder = new StreamDecoder(
    { api: 'chat', think: 'auto', harmony: 'auto', status: 200, headers: {} },
    ({ kind, text }) => recorder.push(kind, text),
  );
  const before = process.cpuUsage();
  for (let at = 0; at < body.length; at += pieceBytes) decoder.push(body.subarray(at, at + pieceBytes));
  const reply = decoder.end('clean');
  recorder.end();
  const { user, system } = process.cpuUsage(before);
  if (reply.status !== 'complete') throw new Error(`expected a complete stream, got ${reply.status}`);
  return (user + system) / 1_000;
}

function largeDelta(bytes: number): Delivery {
  return { body: Buffer.from(chatEvent('word <b '.repeat(bytes / 8), 'stop')), pieceBytes: 65_536 };
}

function byteWrites(bytes: number): Delivery {
  const event = chatEvent(' token');
  const events = event.repeat(Math.floor(bytes / event.length)) + chatEvent('', 'stop');
  return { body: Buffer.from(events), pieceBytes: 1 };
}

function benchGrowth(name: string, deliver: (bytes: number) => Delivery, bytes: number): void {
  const whole = deliver(bytes);
  const half = deliver(bytes / 2);
  decodeMs(half);
  const wholeMs = median(Array.from({ length: GROWTH_ROUNDS }, () => decodeMs(whole)));
  const halfMs = median(Array.from({ length: GROWTH_ROUNDS }, () => decodeMs(half)));
  const sizes = `${bytes / 1e6} MB ${wholeMs.toFixed(0)} ms, ${bytes / 2e6} MB ${halfMs.toFixed(0)} ms`;
  console.log(`${name}: ${sizes}, ratio ${(wholeMs / halfMs).toFixed(2)}`);
}

if (process.argv[2] === 'serve') {
  await serve();
} else {
  benchGrowth('one delta', largeDelta, 8_000_000);
  benchGrowth('one-byte writes', byteWrites, 5_000_000);
  await benchTokens();
}
