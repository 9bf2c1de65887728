import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeData } from '../../../../workers/monitor/llm/escape-data.ts';
import { hostileTexts } from './hostile-chains.ts';

/** Nothing that is invisible, turns text around or ends a line; no beginning of a chat template's mark. */
const dangerous =
  /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uD800-\uDFFF]|<\||<｜|<\/?(?:s|think|start_of_turn)>|\[\/?INST\]|<</u;

describe('encoded data', () => {
  it.each(Object.entries(hostileTexts))(
    'of a text that %s reads back as it was, and shows all of itself',
    (_, text) => {
      const encoded = encodeData({ text });
      expect(JSON.parse(encoded)).toEqual({ text });
      expect(encoded).not.toMatch(dangerous);
    },
  );

  it('reads back as it was for any text', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom('<', '|', '>', '/', '[', ']', '\\', '"', 's', 'INST', '\u202E', '\uD83D', '\u{E0041}'),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), (units) => {
        const text = units.join('');
        expect(JSON.parse(encodeData([text, { [text]: text }]))).toEqual([text, { [text]: text }]);
        expect(encodeData(text)).not.toMatch(dangerous);
      }),
      { seed: 20_254, numRuns: 2_000 },
    );
  });

  it('leaves ordinary mathematics and other scripts readable', () => {
    const text = 'if x < 5 and y<z then a[i] < b; Привет, 你好, é, ½, 🙂, \\frac{1}{2}';
    expect(encodeData(text)).toBe(JSON.stringify(text));
  });
});
