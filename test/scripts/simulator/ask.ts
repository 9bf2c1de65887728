import { z } from 'zod';

const messageSchema = z.object({
  content: z.string(),
  reasoning_content: z.string().optional(),
  reasoning: z.string().optional(),
});
const replySchema = z.object({
  choices: z.array(z.object({ message: messageSchema, finish_reason: z.string() })).length(1),
  usage: z.object({
    completion_tokens: z.number(),
    prompt_tokens: z.number(),
    completion_tokens_details: z.object({ reasoning_tokens: z.number() }),
  }),
});

export function post(url: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('content-type', 'application/json');
  return fetch(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify(body), ...init, headers });
}

export function buildBody(model: string, user: string, rest: Record<string, unknown> = {}) {
  return { model, messages: [{ role: 'user', content: user }], ...rest };
}

/** Asks without streaming. */
export async function ask(url: string, model: string, user: string, rest: Record<string, unknown> = {}) {
  const response = await post(url, buildBody(model, user, rest));
  const { choices, usage } = replySchema.parse(await response.json());
  const { message, finish_reason: finishReason } = choices[0] ?? {
    message: { content: '' },
    finish_reason: '',
  };
  const reasoning = message.reasoning_content ?? message.reasoning ?? '';
  return { ...message, reasoning, finishReason, usage };
}

const chunkSchema = z.object({
  choices: z.array(
    z.object({ delta: z.record(z.string(), z.string()).default({}), finish_reason: z.string().nullable() }),
  ),
  usage: z.object({ completion_tokens: z.number() }).optional(),
});

/** The chunks of a streamed reply, and whether it ended with `[DONE]`. */
export function readChunks(text: string) {
  const payloads = text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length));
  const isDone = payloads.at(-1) === '[DONE]';
  const chunks = payloads
    .slice(0, isDone ? -1 : undefined)
    .map((payload) => chunkSchema.parse(JSON.parse(payload)));
  const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta));
  const tokens = deltas.filter((delta) => delta['role'] === undefined && Object.keys(delta).length > 0);
  const finishReason = chunks
    .flatMap((chunk) => chunk.choices)
    .findLast((choice) => choice.finish_reason !== null);
  return { chunks, tokens, isDone, finishReason: finishReason?.finish_reason };
}

/** A promise that a callback settles. */
export function createSignal<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let settle: ((value: Value) => void) | undefined;
  const promise = new Promise<Value>((resolve) => (settle = resolve));
  return { promise, resolve: (value) => settle?.(value) };
}

/** The parts of a body as they come; a reader that stops reading leaves the socket open. */
export function bodyReader(response: Response): () => Promise<Uint8Array | undefined> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  return async () => (await reader?.read())?.value;
}
