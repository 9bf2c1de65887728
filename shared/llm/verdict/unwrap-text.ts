import { harmonyStarts } from '../harmony.ts';
import { closingTagOf, closingTags, openingTags } from '../think-tags.ts';

const CHANNEL = '<|channel|>';
const MESSAGE = '<|message|>';
const anyTag = new RegExp([...openingTags, ...closingTags].join('|'));

/**
 * The part of a reply's content that is meant as its answer (test/cases/README.md, 2.2, step 4): the final channel,
 * without the blocks of reasoning before it.
 *
 * @returns undefined when the answer never begins: a draft in the reasoning must not count
 */
export function unwrapText(content: string): string | undefined {
  const text = finalChannel(content);
  const rest = text === undefined ? undefined : withoutLeadingBlocks(text);
  return rest === undefined ? undefined : behindClosingTag(rest);
}

function finalChannel(content: string): string | undefined {
  for (let at = content.indexOf(CHANNEL); at >= 0; at = content.indexOf(CHANNEL, at + 1)) {
    const header = at + CHANNEL.length;
    if (!/^\s{0,8}final(?![\p{L}\p{N}])/u.test(content.slice(header, header + 16))) continue;
    const message = content.indexOf(MESSAGE, header);
    if (message >= 0) return content.slice(message + MESSAGE.length);
    break;
  }
  return harmonyStarts.some((start) => content.trimStart().startsWith(start)) ? undefined : content;
}

function withoutLeadingBlocks(text: string): string | undefined {
  let rest = text.trimStart();
  for (;;) {
    const opening = openingTags.find((tag) => rest.startsWith(tag));
    if (opening === undefined) return rest;
    const closing = closingTagOf(opening);
    const end = rest.indexOf(closing);
    if (end < 0) return undefined;
    rest = rest.slice(end + closing.length).trimStart();
  }
}

function behindClosingTag(text: string): string {
  const first = anyTag.exec(text)?.[0];
  if (first === undefined || !closingTags.includes(first)) return text;
  const ends = closingTags.map((tag) => text.lastIndexOf(tag) + (text.includes(tag) ? tag.length : 0));
  return text.slice(Math.max(...ends));
}
