import { describe, expect, it } from 'vitest';
import { StreamDecoder, type DecoderOptions } from '../../../shared/llm/stream-decoder.ts';
import type { BodyEnd } from '../../../shared/llm/stream-status.ts';
import { chatEvent } from './raw-server.ts';

function decode(body: string | Buffer, options: Partial<DecoderOptions> = {}, bodyEnd: BodyEnd = 'clean') {
  const decoder = new StreamDecoder(
    { api: 'chat', think: 'auto', harmony: 'auto', status: 200, headers: {}, ...options },
    () => undefined,
  );
  decoder.push(Buffer.from(body));
  return decoder.end(bodyEnd);
}

const hello = chatEvent({ content: 'hello' });
const stop = chatEvent({}, 'stop');

describe('server-sent events', () => {
  it('an event may be named error after its data', () => {
    const body = `${hello}data: {"message":"no","code":503}\nevent: error\n\n${stop}`;
    expect(decode(body)).toMatchObject({ answer: 'hello', error: { kind: 'overloaded', code: 503 } });
  });

  it('the name of an event ends with it', () => {
    const body = `event: error\n\n${hello}${stop}`;
    expect(decode(body)).toMatchObject({ status: 'complete', answer: 'hello' });
  });

  it('a JSON object may stand on several data lines, with braces in its strings', () => {
    const lines = ['{"choices":', '[{"delta":{"content":"a}\\"{"},', '"finish_reason":"stop"}]}'];
    const body = lines.map((line) => `data: ${line}\n`).join('');
    expect(decode(`${body}\n`)).toMatchObject({ status: 'complete', answer: 'a}"{' });
    expect(decode(body + body)).toMatchObject({ status: 'complete', answer: 'a}"{a}"{' });
  });

  it('text that is no JSON fails once its event is complete, and is dropped when the body was cut in it', () => {
    const broken = `${hello}data: {"choices": oops}\ndata: more\n`;
    expect(decode(`${broken}\n`)).toMatchObject({ answer: 'hello', error: { kind: 'malformed_event' } });
    expect(decode(broken)).toMatchObject({ answer: 'hello', error: { kind: 'premature_close' } });
  });

  it('an error line is an error without code when its value is complete and no JSON', () => {
    expect(decode(`${hello}error: gone\n`)).toMatchObject({ error: { kind: 'provider_error', code: null } });
    expect(decode(`${hello}error: {"co`)).toMatchObject({ error: { kind: 'premature_close' } });
  });

  it('a lone byte order mark is a blank body, cut or not', () => {
    expect(decode(Buffer.from([0xef, 0xbb]))).toMatchObject({ error: { kind: 'not_event_stream' } });
    expect(decode(Buffer.from([0xef, 0xbb, 0xbf]))).toMatchObject({ error: { kind: 'premature_close' } });
  });

  it('a line over the size limit ends the stream, and text before it is kept', () => {
    const body = `${hello}${chatEvent({ content: 'x'.repeat(2_000) })}${stop}`;
    const reply = decode(body, { maxEventBytes: 1_000 });
    expect(reply).toMatchObject({ answer: 'hello', error: { kind: 'event_too_large', retryable: false } });
    expect(decode(body, { maxEventBytes: 3_000 })).toMatchObject({ status: 'complete' });
  });

  it('an event of many lines over the size limit ends the stream too', () => {
    const body = `${hello}data: {\n${'data: \n'.repeat(2_000)}`;
    expect(decode(body, { maxEventBytes: 1_000 })).toMatchObject({ error: { kind: 'event_too_large' } });
  });

  it('a document over the size limit is not gathered further', () => {
    const body = `<html>${'x'.repeat(2_000)}`;
    expect(decode(body, { maxEventBytes: 1_000 })).toMatchObject({ error: { kind: 'event_too_large' } });
  });

  it('a chunk of chat text in "message" is no delta: it would repeat the whole', () => {
    const whole = `data: {"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}\n\n`;
    expect(decode(hello + whole)).toMatchObject({ status: 'complete', answer: 'hello' });
  });
});

describe('plain completions', () => {
  const api = 'completions';
  const text = (piece: string, reason: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, text: piece, finish_reason: reason }] })}\n\n`;

  it('text is split like chat content', () => {
    const body = `${text('<thi')}${text('nk>six sevens</think>')}${text('42', 'stop')}data: [DONE]\n\n`;
    expect(decode(body, { api })).toMatchObject({
      status: 'complete',
      reasoning: 'six sevens',
      answer: '42',
    });
  });

  it('other choices do not count, and usage comes last', () => {
    const other = 'data: {"choices":[{"index":1,"text":"no","finish_reason":"length"}]}\n\n';
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n';
    expect(decode(text('yes', 'stop') + other + usage, { api })).toMatchObject({
      ...{ status: 'complete', answer: 'yes', finishReason: 'stop' },
      usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5, reasoningTokens: null },
    });
  });

  it('a whole completion sent in place of a stream is one delta', () => {
    const body = '{"choices":[{"index":0,"text":"42","finish_reason":"length"}]}';
    expect(decode(body, { api })).toMatchObject({ status: 'length', answer: '42' });
  });
});

describe('the Responses API', () => {
  const event = (type: string, members: object = {}): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
  const delta = event('response.output_text.delta', { delta: '<think>4' });

  it('tags in output text are literal', () => {
    const body = delta + event('response.output_text.delta', { delta: '2' }) + event('response.completed');
    expect(decode(body, { api: 'responses' })).toMatchObject({ status: 'complete', answer: '<think>42' });
  });

  it('a failed response is an error with the code of its error object', () => {
    const body = delta + event('response.failed', { response: { error: { code: 'rate_limit_exceeded' } } });
    expect(decode(body, { api: 'responses' })).toMatchObject({
      ...{ status: 'failed', answer: '<think>4' },
      error: { kind: 'rate_limited', code: 'rate_limit_exceeded', retryable: true },
    });
  });

  it('an incomplete response is cut by length, unless by a filter', () => {
    const incomplete = (reason: string): string =>
      event('response.incomplete', { response: { incomplete_details: { reason } } });
    expect(decode(delta + incomplete('max_output_tokens'), { api: 'responses' }).status).toBe('length');
    expect(decode(delta + incomplete('content_filter'), { api: 'responses' }).status).toBe('filtered');
  });

  it('refusal text is the refusal', () => {
    const body = event('response.refusal.delta', { delta: 'I will not.' }) + event('response.completed');
    expect(decode(body, { api: 'responses' })).toMatchObject({ status: 'complete', refusal: 'I will not.' });
  });
});

describe('HTTP errors', () => {
  it('a spent quota is not retryable though the status is 429', () => {
    const body = '{"error":{"type":"insufficient_quota"}}';
    expect(decode(body, { status: 429 }).error).toMatchObject({ kind: 'rate_limited', retryable: false });
    expect(decode('{"error":{}}', { status: 429 }).error).toMatchObject({ retryable: true });
  });

  it('retry-after-ms comes before retry-after, if it is a number', () => {
    const waitOf = (headers: Record<string, string>) =>
      decode('', { status: 503, headers }).error?.retryAfterMs;
    expect(waitOf({ 'retry-after-ms': '250', 'retry-after': '7' })).toBe(250);
    expect(waitOf({ 'retry-after-ms': 'soon', 'retry-after': '1.5' })).toBe(1_500);
    expect(waitOf({ 'retry-after': '' })).toBeNull();
  });
});
