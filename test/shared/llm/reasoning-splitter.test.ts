import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReplyText } from '../../../shared/llm/reply-text.ts';
import type { SplitSettings } from '../../../shared/llm/reasoning-splitter.ts';
import type { StreamDelta } from '../../../shared/llm/split-text.ts';
import { closingTagOf, closingTags, openingTags } from '../../../shared/llm/think-tags.ts';

const auto: SplitSettings = { think: 'auto', harmony: 'auto' };
const implicitOpen: SplitSettings = { think: 'implicit_open', harmony: 'auto' };
const off: SplitSettings = { think: 'off', harmony: 'auto' };
const bareHarmony: SplitSettings = { think: 'auto', harmony: true };

interface Split {
  readonly reasoning: string;
  readonly answer: string;
  readonly deltas: readonly StreamDelta[];
}

function split(pieces: readonly string[], settings: SplitSettings, field = ''): Split {
  const deltas: StreamDelta[] = [];
  const reply = new ReplyText(settings, (delta) => deltas.push(delta));
  reply.addReasoning(field);
  for (const piece of pieces) reply.addContent(piece);
  const { reasoning, answer } = reply.end();
  return { reasoning, answer, deltas };
}

/** The rules of test/cases/README.md, 1.4, without harmony, on the whole text at once. */
function splitWhole(content: string, think: SplitSettings['think'], field: string): [string, string] {
  if (think === 'off') return [field, content.trim()];
  const start = content.trimStart();
  if (field !== '') {
    const closing = closingTags.find((tag) => start.startsWith(tag));
    return [field, (closing === undefined ? content : start.slice(closing.length)).trim()];
  }
  const blocks: string[] = [];
  const opening = openingTags.find((tag) => start.startsWith(tag));
  if (opening === undefined && think === 'implicit_open') {
    const first = /<\/(?:think|thinking|thought|mm:think|seed:think)>/.exec(content);
    if (first === null) return [content.trim(), ''];
    blocks.push(content.slice(0, first.index));
    return takeBlocks(content.slice(first.index + first[0].length), blocks);
  }
  if (opening !== undefined) return takeBlocks(content, blocks);
  const tag = /<\/?(?:think|thinking|thought|mm:think|seed:think)>/.exec(content);
  if (tag === null || !tag[0].startsWith('</')) return ['', content.trim()];
  return [content.slice(0, tag.index).trim(), content.slice(tag.index + tag[0].length).trim()];
}

function takeBlocks(content: string, blocks: string[]): [string, string] {
  const start = content.trimStart();
  const opening = openingTags.find((tag) => start.startsWith(tag));
  if (opening === undefined) return [joined(blocks), content.trim()];
  const inner = start.slice(opening.length);
  const end = inner.indexOf(closingTagOf(opening));
  blocks.push(end === -1 ? inner : inner.slice(0, end));
  return end === -1
    ? [joined(blocks), '']
    : takeBlocks(inner.slice(end + closingTagOf(opening).length), blocks);
}

function joined(blocks: readonly string[]): string {
  return blocks
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .join('\n\n');
}

describe('splitting content', () => {
  it.each([
    ['a block, then the answer', auto, '<think>a</think>b', 'a', 'b'],
    ['blanks before the opening tag', auto, ' \n<think>a</think>\n\nb', 'a', 'b'],
    ['a block that never ends', auto, '<think>a</thinking> b', 'a</thinking> b', ''],
    ['several blocks in a row', auto, '<think>a</think> <thought>b</thought>c', 'a\n\nb', 'c'],
    ['an empty block', auto, '<think>\n</think><seed:think>b</seed:think>c', 'b', 'c'],
    [
      'tags after the answer began are literal',
      auto,
      '<think>a</think>b <think>c</think>',
      'a',
      'b <think>c</think>',
    ],
    ['a closing tag without an opening one', auto, 'a</mm:think>b</think>', 'a', 'b</think>'],
    ['an opening tag inside the answer', auto, 'a <think>b</think>', '', 'a <think>b</think>'],
    ['a tag cut by the end is text', auto, 'a</thin', '', 'a</thin'],
    ['the beginning of a tag alone is text', auto, '<thi', '', '<thi'],
    ['an unknown tag', auto, '<thoughts>a</thoughts>', '', '<thoughts>a</thoughts>'],
    ['a block opened in the prompt', implicitOpen, 'a</think>b', 'a', 'b'],
    ['the same, cut', implicitOpen, 'a b', 'a b', ''],
    ['the same, with the tag repeated', implicitOpen, '<think>a</think>b', 'a', 'b'],
    ['the same, with a further block', implicitOpen, 'a</think>\n<think>b</think>c', 'a\n\nb', 'c'],
    ['no splitting', off, '<think>a</think>b', '', '<think>a</think>b'],
    ['stripped harmony marks', bareHarmony, 'analysisWe addassistantfinal42', 'We add', '42'],
    ['stripped harmony marks without an answer', bareHarmony, 'analysisWe add', 'We add', ''],
    [
      'the same text where harmony is not expected',
      auto,
      'analysisWe addassistantfinal42',
      '',
      'analysisWe addassistantfinal42',
    ],
    [
      'harmony commentary',
      auto,
      '<|channel|>commentary to=f<|message|>a<|call|><|start|>assistant<|message|>b',
      'a',
      'b',
    ],
    [
      'a constraint glued to the name of a harmony channel',
      auto,
      '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|constrain|>json<|message|>{}',
      'a',
      '{}',
    ],
    ['a harmony header that never ends', auto, '<|start|>assistant<|channel|>anal', '', ''],
    ['harmony wins over think tags being off', off, '<|channel|>analysis<|message|>a<|end|>b', 'a', 'b'],
    [
      'a message mark inside a harmony message',
      auto,
      '<|channel|>final<|message|>a<|message|>b',
      '',
      'a<|message|>b',
    ],
  ])('%s', (_name, settings, content, reasoning, answer) => {
    expect(split([content], settings)).toMatchObject({ reasoning, answer });
    expect(split(Array.from(content), settings)).toMatchObject({ reasoning, answer });
  });

  it('harmony marks are literal where the target has none', () => {
    const content = '<|channel|>analysis<|message|>a';
    expect(split([content], { think: 'auto', harmony: false })).toMatchObject({
      reasoning: '',
      answer: content,
    });
  });

  it('with reasoning in a field, content is answer minus one closing tag at its start', () => {
    expect(split(['\n</think>a</think>'], auto, 'f')).toMatchObject({ reasoning: 'f', answer: 'a</think>' });
  });

  it('reasoning in a field after text in tags turns the tags into literal text', () => {
    const deltas: StreamDelta[] = [];
    const reply = new ReplyText(auto, (delta) => deltas.push(delta));
    reply.addContent('<think>a');
    reply.addReasoning('f');
    reply.addContent('</think>b');
    expect(reply.end()).toEqual({ reasoning: 'f', answer: '<think>a</think>b', refusal: null });
    expect(deltas).toEqual([
      { kind: 'reasoning', text: 'a' },
      { kind: 'reasoning', text: 'f' },
      { kind: 'content', text: '</think>b' },
    ]);
  });

  it('text in a block is delivered as reasoning at once, and only what may become a tag is held back', () => {
    const deltas: StreamDelta[] = [];
    const reply = new ReplyText(auto, (delta) => deltas.push(delta));
    reply.addContent('<think>one </th');
    expect(deltas).toEqual([{ kind: 'reasoning', text: 'one ' }]);
    reply.addContent('ird');
    expect(deltas).toEqual([
      { kind: 'reasoning', text: 'one ' },
      { kind: 'reasoning', text: '</third' },
    ]);
  });

  it('a closing tag without an opening one moves what was delivered as content', () => {
    const { reasoning, answer, deltas } = split(['one', '</think>two'], auto);
    expect({ reasoning, answer }).toEqual({ reasoning: 'one', answer: 'two' });
    expect(deltas).toEqual([
      { kind: 'content', text: 'one' },
      { kind: 'content', text: 'two' },
    ]);
  });
});

const word = fc.constantFrom(
  'a',
  'b ',
  ' ',
  '\n',
  '<',
  '</',
  '<think',
  '>',
  'thought>',
  ...openingTags,
  ...closingTags,
);
const content = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));
const think = fc.constantFrom<SplitSettings['think']>('auto', 'implicit_open', 'off');
const harmonyWord = fc.constantFrom(
  ...[
    'a',
    'b ',
    '<|',
    '<|channel|>',
    '<|start|>',
    '<|message|>',
    '<|end|>',
    '<|return|>',
    'analysis',
    'final',
  ],
);
const harmonyContent = fc
  .array(harmonyWord, { maxLength: 14 })
  .map((words) => `<|channel|>analysis${words.join('')}`);
const runs = { seed: 20_603, numRuns: 2_000 };

describe('splitting any content', () => {
  it('gives what the rules say on the whole text', () => {
    const field = fc.constantFrom('', 'f');
    fc.assert(
      fc.property(content, think, field, (text, mode, reasoning) => {
        const result = split(Array.from(text), { think: mode, harmony: 'auto' }, reasoning);
        expect([result.reasoning, result.answer]).toEqual(splitWhole(text, mode, reasoning));
      }),
      runs,
    );
  });

  it('does not depend on where deltas are cut', () => {
    const cutting = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(fc.oneof(content, harmonyContent), think, cutting, (text, mode, lengths) => {
        const settings = { think: mode, harmony: 'auto' as const };
        const { reasoning, answer } = split([text], settings);
        expect(split(cutInto(text, lengths), settings)).toMatchObject({ reasoning, answer });
      }),
      runs,
    );
  });

  it('delivers live what the result says, up to white space, unless text was moved', () => {
    fc.assert(
      fc.property(fc.oneof(content, harmonyContent), think, (text, mode) => {
        const { reasoning, answer, deltas } = split(Array.from(text), { think: mode, harmony: 'auto' });
        fc.pre(mode !== 'auto' || !hasUnopenedClosingTag(text));
        expect(squeezed(joinedText(deltas, 'reasoning'))).toBe(squeezed(reasoning));
        expect(squeezed(joinedText(deltas, 'content'))).toBe(squeezed(answer));
      }),
      runs,
    );
  });
});

function hasUnopenedClosingTag(text: string): boolean {
  const tag = /<\/?(?:think|thinking|thought|mm:think|seed:think)>/.exec(text);
  return tag?.[0].startsWith('</') ?? false;
}

function cutInto(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  let at = 0;
  for (let turn = 0; at < text.length && turn < 200; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return [...pieces, text.slice(at)];
}

function joinedText(deltas: readonly StreamDelta[], kind: StreamDelta['kind']): string {
  return deltas
    .filter((delta) => delta.kind === kind)
    .map((delta) => delta.text)
    .join('');
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
