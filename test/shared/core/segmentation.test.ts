import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSegmenter, type Segment, type SegmentationMode } from '../../../shared/core/segmentation.ts';
import type { Channel } from '../../../shared/schemas/step.ts';

const sentence = 'Ann has three apples left.';

describe('segmentation', () => {
  test('a step ends at a blank line, in whatever way that is written', () => {
    for (const blank of ['\n\n', '\r\n\r\n', '\n \t\n', '\n\n\n\n']) {
      expect(steps(`${sentence}${blank}${sentence}`)).toEqual([sentence, sentence]);
    }
    expect(steps(`\n\n${sentence}\n\n`)).toEqual([sentence]);
  });

  test('a single line end ends no step', () => {
    expect(steps(`${sentence}\n${sentence}`)).toEqual([`${sentence}\n${sentence}`]);
  });

  test('a step is out as soon as its blank line is', () => {
    const segmenter = createSegmenter('haltline');
    expect(segmenter.push('content', `${sentence}\n`)).toEqual([]);
    expect(segmenter.push('content', '\n')).toEqual([{ channel: 'content', text: sentence }]);
    expect(segmenter.end()).toEqual([]);
  });

  test('a fragment under 20 units is joined to what follows, and at the end stands alone', () => {
    expect(steps('Step 1:\n\nTake three apples away.\n\nSo it is 3.')).toEqual([
      'Step 1:\n\nTake three apples away.',
      'So it is 3.',
    ]);
    expect(steps(`${'x'.repeat(19)}\n\n${sentence}`)).toHaveLength(1);
    expect(steps(`${'x'.repeat(20)}\n\n${sentence}`)).toHaveLength(2);
  });

  test('reasoning and answer never share a step', () => {
    const segmenter = createSegmenter('haltline');
    const segments = [
      ...segmenter.push('reasoning', 'So 3.'),
      ...segmenter.push('answer', 'The answer'),
      ...segmenter.push('reasoning', ''),
      ...segmenter.push('answer', ' is 3.'),
      ...segmenter.end(),
    ];
    expect(segments).toEqual([
      { channel: 'reasoning', text: 'So 3.' },
      { channel: 'answer', text: 'The answer is 3.' },
    ]);
  });

  test('nothing, and white space alone, are no step', () => {
    expect(steps('')).toEqual([]);
    expect(steps(' \n\n\t\n\n')).toEqual([]);
    expect(createSegmenter('haltline').end()).toEqual([]);
  });

  test('after the end the segmenter takes another chain, outside every fence', () => {
    const segmenter = createSegmenter('haltline');
    segmenter.push('content', '```\nnever closed');
    segmenter.end();
    expect(segmenter.push('content', `${sentence}\n\n`)).toEqual([{ channel: 'content', text: sentence }]);
  });
});

describe('the limit of 1,024 units', () => {
  test('exactly 1,024 units are one step, and one more cuts', () => {
    expect(lengths('a'.repeat(1_024))).toEqual([1_024]);
    expect(lengths('a'.repeat(1_025))).toEqual([1_024, 1]);
    expect(lengths('a'.repeat(3_000))).toEqual([1_024, 1_024, 952]);
  });

  test('it is cut back to the last sentence end', () => {
    const text = `${'word '.repeat(100)}ends here. ${'more '.repeat(150)}`;
    const [first, second] = steps(text);
    expect(first).toBe(`${'word '.repeat(100)}ends here.`);
    expect(second).toBe('more '.repeat(150).trim());
  });

  test('a decimal point ends no sentence, a line end and a Chinese full stop do', () => {
    expect(steps(`${'x'.repeat(500)} 3.14${'y'.repeat(600)}`)[0]).toBe('x'.repeat(500));
    expect(steps(`${'x'.repeat(500)}\n${'y '.repeat(400)}`)[0]).toBe('x'.repeat(500));
    expect(steps(`${'算'.repeat(500)}。”${'果'.repeat(600)}`)[0]).toBe(`${'算'.repeat(500)}。”`);
    expect(steps(`${'x'.repeat(500)} (done!) ${'y '.repeat(400)}`)[0]).toBe(`${'x'.repeat(500)} (done!)`);
  });

  test('without a sentence end it is cut back to white space', () => {
    expect(lengths(`${'a'.repeat(1_000)} ${'b'.repeat(100)}`)).toEqual([1_000, 100]);
    expect(lengths(`${'a'.repeat(1_024)} ${'b'.repeat(100)}`)).toEqual([1_024, 100]);
  });

  test('an end that would leave a fragment is none', () => {
    expect(lengths(`Yes. ${'a'.repeat(2_000)}`)).toEqual([1_024, 981]);
  });

  test('a surrogate pair is never parted', () => {
    const [first, second] = steps(`${'a'.repeat(1_023)}😀${'b'.repeat(50)}`);
    expect(first).toBe('a'.repeat(1_023));
    expect(second).toBe(`😀${'b'.repeat(50)}`);
  });

  test('what is behind the cut is joined to what follows', () => {
    const text = `${'a'.repeat(1_000)}. ${'b'.repeat(30)}\n\n${sentence}`;
    expect(steps(text)).toEqual([`${'a'.repeat(1_000)}.`, 'b'.repeat(30), sentence]);
    expect(steps(`${'a'.repeat(1_030)}\n\n${sentence}`)).toEqual([
      'a'.repeat(1_024),
      `aaaaaa\n\n${sentence}`,
    ]);
  });

  test('a fragment before a desert of white space stays a fragment', () => {
    const [only, ...others] = steps(`Hm,${' '.repeat(5_000)}the rest of the thought.`);
    expect(others).toEqual([]);
    expect(only).toMatch(/^Hm,\s+the rest of the thought\.$/);
  });
});

describe('fences and formulas', () => {
  const before = 'Here is how I compute it:';
  const after = 'That gives the result.';

  for (const [name, block] of [
    ['a fence of backticks', '```python\na = 1\n\nb = 2\n```'],
    ['a fence of tildes', '~~~\na = 1\n\n```\n\nb = 2\n~~~'],
    ['a longer fence', '````\n```\nshorter\n\n```\n````'],
    ['an indented fence', '   ```\n   a\n\n   b\n   ```'],
    ['dollars', '$$\nx = 1 + 2\n\ny = 2 + 3\n$$'],
    ['brackets', '\\[\nx = 1 \\\\[4pt]\n\ny = 2\n\\]'],
    ['an environment', '\\begin{align}\nx &= \\begin{cases}1\n\n\\end{cases}\n\ny\n\\end{align}'],
  ] as const) {
    test(`a blank line inside ${name} ends no step, one behind it does`, () => {
      expect(steps(`${before}\n\n${block}\n\n${after}`)).toEqual([before, block.trim(), after]);
    });
  }

  for (const text of [
    'Inline ```code``` opens nothing',
    '```also this one``` at a line start',
    '``` not ``` a fence, there is a mark in it',
    'A line break \\\\[4pt] opens nothing',
    'It costs \\$\\$ and not $5 or $6',
    'A ragged \\end{align} closes nothing',
    '\\beginning{x} and \\begin are no environment',
  ]) {
    test(`no block is opened by: ${text}`, () => {
      expect(steps(`${text}\n\n${after}`)).toEqual([text, after]);
    });
  }

  test('the limit holds inside them', () => {
    const code = `\`\`\`\n${'value = 1\n\n'.repeat(300)}\`\`\``;
    const cut = lengths(`${code}\n\n${after}`);
    expect(Math.max(...cut)).toBeLessThanOrEqual(1_024);
    expect(cut).toHaveLength(5);
    expect(steps(`${code}\n\n${after}`).at(-1)).toBe(after);
  });

  test('a formula that is never closed ends with the step that the limit cuts', () => {
    const paragraph = `${'word '.repeat(60)}end.`;
    const text = `It costs $$ a lot.\n\n${`${paragraph}\n\n`.repeat(8)}`;
    expect(steps(text).slice(-4)).toEqual([paragraph, paragraph, paragraph, paragraph]);
  });

  test('a fence that is never closed leaves the limit at work', () => {
    const cut = lengths(`\`\`\`\n${`${sentence}\n\n`.repeat(400)}`);
    expect(cut.length).toBeGreaterThan(9);
    expect(Math.max(...cut)).toBeLessThanOrEqual(1_024);
  });
});

describe('segmentation of the paper', () => {
  test('steps end at two line ends and nowhere else', () => {
    const text = 'Hi.\n\n```\na\n\nb\n```\r\n\r\nc\n \nd\n\n\ne';
    expect(steps(text, 'paper')).toEqual(['Hi.', '```\na', 'b\n```\r\n\r\nc\n \nd', 'e']);
    expect(lengths('a '.repeat(5_000), 'paper')).toEqual([9_999]);
  });
});

describe('any chain', () => {
  const part = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        ...[
          '\n',
          '\n\n',
          '\r\n',
          '\r\n\r\n',
          ' ',
          '\t',
          '. ',
          '。',
          '?" ',
          '😀',
          '\ud83d',
          '```\n',
          '\n```',
          '~~~\n',
        ],
        ...['$$', '$', '\\[', '\\]', '\\\\', '\\begin{a}', '\\end{a}', 'word ', sentence, '\u00a0', '\u2028'],
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom('a'.repeat(900), 'word '.repeat(150), ' '.repeat(1_100), '😀'.repeat(400)),
    },
  );
  const text = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));
  const chain = fc.array(fc.tuple(fc.constantFrom<Channel>('reasoning', 'answer', 'content'), text), {
    minLength: 1,
    maxLength: 3,
  });
  const cuts = fc.infiniteStream(fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 700 })));

  for (const mode of ['haltline', 'paper'] as const) {
    test(`has the same steps however its deltas are cut (${mode})`, () => {
      fc.assert(
        fc.property(chain, cuts, (parts, sizes) => {
          const whole = segment(mode, parts);
          const pieces = parts.flatMap(([channel, all]) =>
            cut(all, sizes).map((piece) => [channel, piece] as const),
          );
          expect(segment(mode, pieces)).toEqual(whole);
          const units = parts.flatMap(([channel, all]) =>
            all.split('').map((unit) => [channel, unit] as const),
          );
          expect(segment(mode, units)).toEqual(whole);
        }),
        { numRuns: 200 },
      );
    });

    test(`keeps every character that is not white space, in order (${mode})`, () => {
      fc.assert(
        fc.property(chain, (parts) => {
          const segments = segment(mode, parts);
          expect(withoutSpace(segments.map((piece) => piece.text).join(''))).toBe(
            withoutSpace(parts.map(([, all]) => all).join('')),
          );
          for (const piece of segments) {
            expect(piece.text).not.toBe('');
            expect(piece.text).toBe(piece.text.trim());
          }
        }),
        { numRuns: 200 },
      );
    });
  }

  test('has steps of 20 to 1,024 units, but for the last of each channel', () => {
    fc.assert(
      fc.property(chain, (all) => {
        // White space on another channel ends a step too, and leaves no segment to see it by.
        const parts = all.filter(([, part]) => part.trim() !== '');
        const segments = segment('haltline', parts);
        for (const [place, piece] of segments.entries()) {
          expect(piece.text.length).toBeLessThanOrEqual(1_024);
          const isLast = segments[place + 1]?.channel !== piece.channel;
          if (!isLast) expect(piece.text.length).toBeGreaterThanOrEqual(20);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('costs at most four looks a unit', () => {
    fc.assert(
      fc.property(chain, (parts) => {
        const segmenter = createSegmenter('haltline');
        for (const [channel, all] of parts) segmenter.push(channel, all);
        segmenter.end();
        const pushed = parts.reduce((sum, [, all]) => sum + all.length, 0);
        expect(segmenter.visited).toBeLessThanOrEqual(4 * pushed);
      }),
      { numRuns: 200 },
    );
  });

  test('of a million units without a break costs as little in one delta as in a million', () => {
    const run = 'a'.repeat(1_000_000);
    const atOnce = createSegmenter('haltline');
    atOnce.push('content', run);
    atOnce.end();
    expect(atOnce.visited).toBeLessThanOrEqual(4_000_000);
    const oneByOne = createSegmenter('haltline');
    for (const unit of run) oneByOne.push('content', unit);
    oneByOne.end();
    expect(oneByOne.visited).toBe(atOnce.visited);
  });

  test('costs at most four looks a unit where every limit is cut back twice', () => {
    // A sentence end just behind 20 units, white space just behind that, then a run: three cuts for each 1,024 units.
    const hostile = `${'s'.repeat(20)}. ${'w'.repeat(20)} ${'r'.repeat(1_060)} `.repeat(500);
    const segmenter = createSegmenter('haltline');
    segmenter.push('content', hostile);
    segmenter.end();
    expect(segmenter.visited).toBeLessThanOrEqual(4 * hostile.length);
  });
});

function segment(mode: SegmentationMode, parts: readonly (readonly [Channel, string])[]): Segment[] {
  const segmenter = createSegmenter(mode);
  return [...parts.flatMap(([channel, text]) => segmenter.push(channel, text)), ...segmenter.end()];
}

function steps(text: string, mode: SegmentationMode = 'haltline'): string[] {
  return segment(mode, [['content', text]]).map((piece) => piece.text);
}

function lengths(text: string, mode: SegmentationMode = 'haltline'): number[] {
  return steps(text, mode).map((step) => step.length);
}

function cut(text: string, sizes: Iterator<number>): string[] {
  const pieces: string[] = [];
  for (let place = 0; place < text.length;) {
    const size = Number(sizes.next().value);
    pieces.push(text.slice(place, place + size));
    place += size;
  }
  return pieces;
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
