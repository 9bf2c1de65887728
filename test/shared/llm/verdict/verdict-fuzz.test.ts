import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseVerdictReply } from '../../../../shared/llm/verdict/parse-verdict-reply.ts';
import type { VerdictForm } from '../../../../shared/llm/verdict/verdict-reply.ts';
import { fuzzParameters, fuzzTimeoutMs } from '../../../support/fuzz.ts';

const seed = 20_252;
const reasons = fc.constantFrom('stop', 'length', null);
const forms = fc.constantFrom<VerdictForm>('typed', 'binary');

function read(content: string, finishReason: string | null, form: VerdictForm = 'typed') {
  return parseVerdictReply({ content, finishReason, reasoningText: null, refusal: null }, 'a step', [], form);
}

function saysNoError(content: string, finishReason: string | null, form?: VerdictForm): boolean {
  return read(content, finishReason, form).verdict?.error_detected === false;
}

const words = fc.string({ maxLength: 40 });
const alarm = fc
  .record({
    error_detected: fc.constant(true),
    error_type: fc.constantFrom('1a', '2b', '3c'),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    error_location: words,
    error_explanation: words,
  })
  .map((verdict) => JSON.stringify(verdict));
const clear = fc
  .double({ min: 0, max: 1, noNaN: true })
  .map(
    (confidence) =>
      `{"error_detected":false,"error_type":"NO_ERROR","confidence":${confidence},"error_location":"","error_explanation":""}`,
  );
const noise = fc.array(
  fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '\\',
    ',',
    ':',
    '\n',
    '```',
    '<think>',
    '</think>',
    '<|channel|>final<|message|>',
    'null',
    '\u0000',
    '\uD800',
    'error_detected',
    ' ',
  ),
  { minLength: 1, maxLength: 4 },
);

function edit(text: string, at: number, remove: number, insert: readonly string[]): string {
  return text.slice(0, at) + insert.join('') + text.slice(at + remove);
}

describe('mutated verdicts', { timeout: fuzzTimeoutMs }, () => {
  it('an alarm never becomes "no error", however it is damaged', () => {
    const edits = fc.array(fc.tuple(fc.nat(200), fc.nat(6), noise), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(alarm, edits, reasons, forms, (text, all, reason, form) => {
        const damaged = all.reduce(
          (current, [at, remove, insert]) => edit(current, at, remove, insert),
          text,
        );
        expect(saysNoError(damaged, reason, form)).toBe(false);
      }),
      fuzzParameters('damaged alarms', seed, 2_000),
    );
  });

  it('a "no error" that is not whole is none, wherever it is cut and whatever the server says', () => {
    fc.assert(
      fc.property(
        clear,
        fc.double({ min: 0, max: 1, noNaN: true }),
        reasons,
        forms,
        (text, share, reason, form) => {
          const cut = text.slice(0, Math.floor(share * (text.length - 1)));
          expect(saysNoError(cut, reason, form)).toBe(false);
        },
      ),
      fuzzParameters('cut no-error verdicts', seed, 2_000),
    );
  });

  it('of two verdicts that disagree neither counts', () => {
    fc.assert(
      fc.property(alarm, clear, fc.boolean(), reasons, (yes, no, yesFirst, reason) => {
        const { parse, failure } = read(yesFirst ? `${yes}\n${no}` : `${no}\n${yes}`, reason);
        expect([parse, failure]).toEqual(['invalid', 'ambiguous']);
      }),
      fuzzParameters('two verdicts that disagree', seed, 200),
    );
  });

  it('a whole verdict is read the same in a fence, in prose, behind reasoning and in an array', () => {
    fc.assert(
      fc.property(fc.oneof(alarm, clear), forms, (text, form) => {
        const plain = read(text, 'stop', form);
        for (const wrapped of [
          `\`\`\`json\n${text}\n\`\`\``,
          `Well:\n${text}\nDone.`,
          `<think>x</think>${text}`,
          `[${text}]`,
        ]) {
          expect(read(wrapped, 'stop', form).verdict).toEqual(plain.verdict);
        }
      }),
      fuzzParameters('verdicts in wrappings', seed, 300),
    );
  });
});

describe('any text', { timeout: fuzzTimeoutMs }, () => {
  it('gives a verdict or a failure, never an exception', () => {
    const soup = fc.array(
      fc.oneof(
        noise.map((parts) => parts.join('')),
        words,
        alarm,
        clear,
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(soup, reasons, forms, (parts, reason, form) => {
        const { parse, verdict, failure } = read(parts.join(''), reason, form);
        expect(verdict === null).toBe(parse === 'invalid');
        expect(failure === null).toBe(parse !== 'invalid');
      }),
      fuzzParameters('replies of any text', seed, 2_000),
    );
  });

  // A quadratic reader would need hours for these, not the seconds that a test has.
  it.each([
    ['braces that open', '{'],
    ['braces that close', '}'],
    ['nested keys', '{"error_detected":'],
    ['groups', '{"error_detected":x}'],
    ['open groups with quotes', '{"'],
    ['quotes', '"'],
    ['brackets', '['],
    ['elements', '["a",{"a":1},'],
    ['flags', '"error_detected":true,'],
    ['backslashes', '\\'],
    ['blanks', ' \n'],
    ['reasoning tags', '<think>'],
    ['channels', '<|channel|>final'],
    ['half keys', 'error '],
  ])('of 200 kB of %s is read in linear time', (_name, part) => {
    const run = part.repeat(Math.ceil(200_000 / part.length));
    const texts = [
      run,
      `${run}}`,
      `{"error_detected":true,"error_type":"2b","error_location":"${run}`,
      `{"error_detected":"no","x":${run}}`,
      `[${run}`,
    ];
    for (const text of texts) {
      for (const reason of ['stop', 'length']) expect(saysNoError(text, reason)).toBe(false);
    }
    const inReasoning = { content: '', finishReason: 'stop', reasoningText: run, refusal: null };
    expect(parseVerdictReply(inReasoning, run, [run]).failure).not.toBeNull();
    const quoted = JSON.stringify({ error_detected: true, error_type: '2b', error_location: `x${run}` });
    expect(read(quoted, 'stop').verdict?.error_detected).toBe(true);
  });
});
