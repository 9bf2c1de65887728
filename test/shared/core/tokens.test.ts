import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { countTokens } from '../../../shared/core/tokens.ts';

describe('token count', () => {
  test('short texts have the tokens of o200k_base', () => {
    expect(countTokens('')).toBe(0);
    expect(countTokens('hello world')).toBe(2);
    expect(countTokens('12345')).toBe(2);
    expect(countTokens('我们先把题目里的条件列出来。')).toBe(exactly('我们先把题目里的条件列出来。'));
  });

  test('special tokens are plain text', () => {
    expect(countTokens('<|endoftext|>')).toBe(7);
    expect(countTokens('a <|im_start|> b <|endofprompt|>')).toBeGreaterThan(8);
  });

  test('long prose is counted exactly, in English and in Chinese', () => {
    const word = fc.constantFrom(
      'Then',
      'we',
      "don't",
      'x^2',
      '=',
      '3.14,',
      '(so)',
      '\n\nWait,',
      '\t-',
      '$y$',
      '  two',
    );
    const clause = fc.constantFrom(
      '我们计算，',
      '一共有八个苹果。',
      '合理吗？',
      '首先、',
      '检查每一步；',
      'f(x)：',
      '3个！',
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 100, maxLength: 400 }), (words) => {
        const text = words.join(' ');
        expect(countTokens(text)).toBe(exactly(text));
      }),
    );
    fc.assert(
      fc.property(fc.array(clause, { minLength: 100, maxLength: 300 }), (clauses) => {
        const text = clauses.join('');
        expect(countTokens(text)).toBe(exactly(text));
      }),
    );
  });

  test('any text has a count, off by a few tokens a piece at most', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\ud83d',
        '\ude00',
        '😀'.repeat(90),
        '\r\n',
        ' '.repeat(300),
        'ab'.repeat(200),
        '/'.repeat(99),
      ),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const pieces = Math.ceil(text.length / 255);
        // Long runs of one character have tokens of up to 128 characters, so pieces of them may each cost a few more.
        expect(Math.abs(countTokens(text) - exactly(text))).toBeLessThanOrEqual(4 * pieces);
      }),
    );
  });

  test('an unbroken run costs as much a character however long it is', () => {
    // 100,000 units would block the tokenizer itself for seconds; in pieces, every 256 units count alike.
    expect(countTokens('a'.repeat(256 * 400))).toBe(400 * countTokens('a'.repeat(256)));
  });

  test('a surrogate pair on the edge of a piece stays whole', () => {
    const text = `${'a'.repeat(255)}😀${'a'.repeat(255)}`;
    expect(countTokens(text)).toBe(countTokens('a'.repeat(255)) + countTokens(`😀${'a'.repeat(254)}`) + 1);
  });
});

function exactly(text: string): number {
  return encode(text, { disallowedSpecial: new Set() }).length;
}
