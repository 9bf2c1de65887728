import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clip, terminalLines, terminalText } from '../../../shared/core/terminal-text.ts';

it('writes out control, bidirectional and invisible characters', () => {
  expect(terminalText('a\x1b[31mred\u{202e}x\u{200b}\n\t\x9b\u{2028}\u{e0041}')).toBe(
    'a\\x1b[31mred\\u{202e}x\\u{200b}\\n\\t\\x9b\\u{2028}\\u{e0041}',
  );
  expect(terminalText('\ud800')).toBe('\\u{d800}');
});

it('leaves visible text as it is, in any script', () => {
  const text = 'x² ≤ 4 — ñ 漢字 😀 ¿?';
  expect(terminalText(text)).toBe(text);
});

it('keeps line feeds and tabs of text of several lines, and nothing else', () => {
  expect(terminalLines('a\n\tb\r\x07')).toBe('a\n\tb\\r\\x07');
});

it('leaves nothing that a terminal obeys, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(terminalText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    }),
  );
});

it('clips to a number of characters with an ellipsis', () => {
  expect(clip('abcdef', 4)).toBe('abc…');
  expect(clip('abcd', 4)).toBe('abcd');
});
