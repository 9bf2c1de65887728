import { describe, expect, it } from 'vitest';
import { StreamDecoder, type DecodedReply, type DecoderOptions } from '../../../shared/llm/stream-decoder.ts';
import type { Usage } from '../../../shared/llm/usage.ts';

type Shape = Pick<DecodedReply, 'reasoning' | 'answer'> & {
  readonly body: string;
  readonly options?: Partial<DecoderOptions>;
  readonly usage?: Partial<Usage>;
};

const done = 'data: [DONE]\n\n';

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Chunks with these deltas, then one that finishes, with `last` beside its choices. */
function chat(deltas: readonly object[], last: object = {}): string {
  const chunks = deltas.map((delta) => event({ choices: [{ index: 0, delta, finish_reason: null }] }));
  const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...last });
  return chunks.join('') + finish + done;
}

const role = { role: 'assistant', content: null };
const texts = { reasoning: 'Six sevens are 42.', answer: '42' };
const inTags = [{ content: '<think>Six sevens' }, { content: ' are 42.</think>\n\n42' }];

/** What the servers of README's table send, by the notes of their users; none of them was asked. */
const shapes: Readonly<Record<string, Shape>> = {
  'vLLM of 2025': {
    ...texts,
    body: chat([role, { reasoning_content: 'Six sevens are 42.' }, { content: '42' }]),
  },
  'vLLM of 2026': {
    ...texts,
    body:
      chat([role, { reasoning: 'Six sevens' }, { reasoning: ' are 42.' }, { content: '42' }]).replace(
        done,
        '',
      ) +
      event({ choices: [], usage: { prompt_tokens: 9, total_tokens: 20, completion_tokens: 11 } }) +
      done,
    usage: { totalTokens: 20, reasoningTokens: null },
  },
  'vLLM without a parser, the block opened by the template': {
    ...texts,
    body: chat([{ content: 'Six sevens are 42.' }, { content: '</think>' }, { content: '\n\n42' }]),
    options: { think: 'implicit_open' },
  },
  'SGLang, its reasoning tokens at the top of usage': {
    ...texts,
    body: chat([{ reasoning_content: 'Six sevens are 42.', content: null }, { content: '42' }], {
      usage: { prompt_tokens: 9, completion_tokens: 11, reasoning_tokens: 6 },
    }),
    usage: { totalTokens: 20, reasoningTokens: 6 },
  },
  'llama.cpp, with timings': {
    ...texts,
    body: chat([role, { reasoning_content: 'Six sevens are 42.' }, { content: '42' }], {
      timings: { predicted_n: 11 },
    }),
  },
  'llama.cpp with its format none': { ...texts, body: chat(inTags) },
  Ollama: {
    ...texts,
    body: chat([
      { role: 'assistant', content: '', reasoning: 'Six sevens' },
      { role: 'assistant', content: '', reasoning: ' are 42.' },
      { role: 'assistant', content: '42' },
    ]),
  },
  'LM Studio with its setting off': { ...texts, body: chat(inTags) },
  'OpenRouter, its details mirrored': {
    ...texts,
    body:
      ': OPENROUTER PROCESSING\n\n' +
      chat([
        {
          ...{ content: '', reasoning: 'Six sevens are 42.' },
          reasoning_details: [{ type: 'reasoning.text', text: 'Six sevens are 42.' }],
        },
        { content: '', reasoning: null, reasoning_details: [{ type: 'reasoning.encrypted', data: 'eA==' }] },
        { content: '42' },
      ]),
  },
  'OpenRouter, with details alone': {
    ...texts,
    body: chat([
      { reasoning_details: [{ type: 'reasoning.summary', summary: 'Six sevens ' }] },
      { reasoning_details: [{ type: 'reasoning.text', text: 'are 42.' }] },
      { content: '42' },
    ]),
  },
  'DeepSeek, usage on the finishing chunk': {
    ...texts,
    body: chat(
      [
        { content: null, reasoning_content: 'Six sevens are 42.' },
        { content: '42', reasoning_content: null },
      ],
      {
        usage: {
          ...{ prompt_tokens: 9, completion_tokens: 11, prompt_cache_hit_tokens: 4 },
          completion_tokens_details: { reasoning_tokens: 7 },
        },
      },
    ),
    usage: { reasoningTokens: 7, cachedTokens: 4 },
  },
  'OpenAI, Responses': {
    ...texts,
    body: [
      { type: 'response.created', response: { status: 'in_progress', error: null } },
      { type: 'response.output_item.added', item: { type: 'reasoning', summary: [] } },
      { type: 'response.reasoning_summary_part.added', summary_index: 0 },
      { type: 'response.reasoning_summary_text.delta', delta: 'Six sevens are 42.' },
      { type: 'response.reasoning_summary_text.done', text: 'Six sevens are 42.' },
      { type: 'response.output_text.delta', delta: '42' },
      { type: 'response.output_text.done', text: '42' },
      {
        type: 'response.completed',
        response: {
          ...{ status: 'completed', error: null, output: [{ content: [{ text: '42' }] }] },
          usage: {
            ...{ input_tokens: 9, output_tokens: 11, total_tokens: 20 },
            output_tokens_details: { reasoning_tokens: 8 },
          },
        },
      },
    ]
      .map((value) => `event: ${value.type}\n${event(value)}`)
      .join(''),
    options: { api: 'responses' },
    usage: { totalTokens: 20, reasoningTokens: 8 },
  },
  'Gemini, its thoughts in tags': {
    ...texts,
    body: chat([{ content: '<thought>Six sevens are 42.' }, { content: '</thought>42' }], {
      usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 20 },
    }),
    usage: { totalTokens: 20 },
  },
  'Groq, raw, its usage in a member of its own': {
    ...texts,
    body: chat(inTags, { x_groq: { id: 'r', usage: { prompt_tokens: 9, completion_tokens: 11 } } }),
    usage: { totalTokens: 20 },
  },
  'Groq, parsed': { ...texts, body: chat([{ reasoning: 'Six sevens are 42.' }, { content: '42' }]) },
  'Together, R1': { ...texts, body: chat(inTags) },
  Mistral: {
    ...texts,
    body: chat([
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Six sevens' }] }] },
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: ' are 42.' }], closed: true }] },
      { content: [{ type: 'text', text: '4' }] },
      { content: '2' },
    ]),
  },
  'DashScope, running totals on each chunk': {
    ...texts,
    body:
      [3, 7]
        .map((count) => event({ choices: [], usage: { input_tokens: 9, output_tokens: count } }))
        .join('') +
      chat([{ reasoning_content: 'Six sevens are 42.', content: null }, { content: '42' }], {
        usage: { prompt_tokens: 9, completion_tokens: 11 },
      }),
    usage: { completionTokens: 11, totalTokens: 20 },
  },
  'gpt-oss that nobody parsed': {
    ...texts,
    body: chat(
      [
        ...['<|chan', 'nel|>analysis<|mess', 'age|>Six sevens are 42.<|end|><|start|>assist'],
        'ant<|channel|>final<|message|>42<|return|>',
      ].map((content) => ({ content })),
    ),
  },
};

function decode(body: string, options: Partial<DecoderOptions> = {}, pieceBytes = Infinity): DecodedReply {
  const decoder = new StreamDecoder(
    { api: 'chat', think: 'auto', harmony: 'auto', status: 200, headers: {}, ...options },
    () => undefined,
  );
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += pieceBytes) decoder.push(bytes.subarray(at, at + pieceBytes));
  return decoder.end('clean');
}

describe('what servers send', () => {
  it.each(Object.entries(shapes))('%s: is read', (_name, { body, options, usage, reasoning, answer }) => {
    const whole = decode(body, options);
    expect(whole).toMatchObject({ status: 'complete', reasoning, answer });
    if (usage === undefined) expect(whole.usage).toBeNull();
    else expect(whole.usage).toMatchObject(usage);
    for (const pieceBytes of [1, 7, 100]) expect(decode(body, options, pieceBytes)).toEqual(whole);
    for (const lineEnd of ['\r\n', '\r']) {
      expect(decode(`\uFEFF${body.replaceAll('\n', lineEnd)}`, options)).toEqual(whole);
    }
  });

  it.each([
    [
      'a line of JSON for each chunk',
      '{"choices":[{"delta":{"content":"a"}}]}\n{"choices":[]}\n',
      'not_event_stream',
    ],
    ['an array with an error', '[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}]', 'not_event_stream'],
    ['a plain word', 'upstream unavailable', 'not_event_stream'],
    ['an error event that is no JSON', 'event: error\ndata: gone\n\n', 'malformed_event'],
    ['a reply that only calls tools', chat([{ tool_calls: [{ index: 0 }] }]), 'empty_response'],
    ['a completion without a finish reason', '{"choices":[{"message":{"content":"a"}}]}', 'premature_close'],
    ['half a [DONE]', 'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DO', 'premature_close'],
  ])('%s is a failure with its reason', (_name, body, kind) => {
    expect(decode(body)).toMatchObject({ status: 'failed', error: { kind } });
    expect(decode(body, {}, 1)).toEqual(decode(body));
  });
});
