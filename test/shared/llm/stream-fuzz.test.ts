import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StreamDecoder, type DecoderOptions } from '../../../shared/llm/stream-decoder.ts';
import type { BodyEnd } from '../../../shared/llm/stream-status.ts';
import { fuzzParameters, fuzzTimeoutMs } from '../../support/fuzz.ts';
import { cutAt } from '../../../scripts/simulator/recorded-streams.ts';
import { allStreamCases, decodeCase, expectation, inCaseWords } from './case-files.ts';
import { startServer } from './raw-server.ts';
import { stream, targetAt } from './target.ts';

const seed = 20_251;
const cases = allStreamCases().filter((streamCase) => streamCase.body.length < 5_000);
const token = fc.constantFrom(
  ...[
    'data:',
    'data: ',
    'event: error',
    'error: ',
    ':',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '[DONE]',
    '{',
    '}',
    '[',
    ']',
    '"',
  ],
  ...[
    '\\',
    'null',
    '{"choices":[{"delta":{"content":"',
    '"}}]}',
    '{"error":',
    '<think>',
    '</think>',
    '<|channel|>',
    '\uFEFF',
  ],
);
const noise = fc
  .array(
    fc.oneof(
      token.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => Buffer.concat(parts));
const options: fc.Arbitrary<DecoderOptions> = fc.record({
  api: fc.constantFrom<DecoderOptions['api']>('chat', 'completions', 'responses'),
  think: fc.constantFrom<DecoderOptions['think']>('auto', 'implicit_open', 'off'),
  harmony: fc.constantFrom<DecoderOptions['harmony']>('auto', true, false),
  status: fc.constantFrom(200, 200, 200, 429),
  headers: fc.constant({}),
  maxEventBytes: fc.constantFrom(40, 1_000),
});
const bodyEnd = fc.constantFrom<BodyEnd>('clean', 'reset', 'undecodable', 'aborted', 'idle', 'total');

function decode(pieces: readonly Buffer[], settings: DecoderOptions, end: BodyEnd) {
  const decoder = new StreamDecoder(settings, () => undefined);
  for (const piece of pieces) decoder.push(piece);
  return decoder.end(end);
}

describe('any bytes', { timeout: fuzzTimeoutMs }, () => {
  it('end with a status, and the same one however they are cut', () => {
    fc.assert(
      fc.property(noise, options, bodyEnd, (body, settings, end) => {
        const whole = decode([body], settings, end);
        expect(whole.error !== null).toBe(whole.status === 'failed');
        const bytes = [...body].map((byte) => Buffer.from([byte]));
        expect(decode(bytes, settings, end)).toEqual(whole);
      }),
      fuzzParameters('streams of any bytes', seed, 3_000),
    );
  });

  it('recorded streams give the same result with any cuts', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...cases),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        (one, shares) => {
          const cuts = shares.map((share) => Math.floor(share * one.body.length));
          expect(inCaseWords(decodeCase(one, cutAt(one.body, cuts)).reply)).toEqual(expectation(one));
        },
      ),
      fuzzParameters('recorded streams, cut anywhere', seed, 500),
    );
  });

  it('from a real server neither reject nor hang', async () => {
    let body = Buffer.alloc(0);
    const baseUrl = await startServer(({ response }) => {
      response.end(body);
    });
    await fc.assert(
      fc.asyncProperty(noise, async (bytes) => {
        body = bytes;
        const end = await stream(targetAt(baseUrl));
        expect(end.httpStatus).toBe(200);
        expect(end.error !== null).toBe(end.status === 'failed');
      }),
      fuzzParameters('any bytes from a server', seed, 150),
    );
  });
});
