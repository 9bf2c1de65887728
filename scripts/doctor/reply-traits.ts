import {
  isJsonObject,
  objectMember,
  objectsMember,
  parseJson,
  textMember,
} from '../../shared/llm/json-value.ts';
import { closingTags, openingTags } from '../../shared/llm/think-tags.ts';

/** What the bytes of a streamed reply show that its text does not. */
export interface ReplyTraits {
  /** The delta fields that held reasoning, in the order in which they were seen. */
  readonly reasoningFields: readonly string[];
  /** The tags in the content: `<think>`; or `</think>` alone, where the prompt's template has opened the block. */
  readonly openingTag: string | undefined;
  readonly closingTag: string | undefined;
  /** Whether the stream ended with `[DONE]`. */
  readonly sawDone: boolean;
}

const reasoningFields = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_details'];

/** @param text - the body of a streamed chat or plain completion; another body has no traits */
export function readTraits(text: string): ReplyTraits {
  const payloads = text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim());
  const seen = new Set<string>();
  let content = '';
  for (const payload of payloads) {
    const chunk = parseJson(payload);
    if (!isJsonObject(chunk)) continue;
    const [choice = {}] = objectsMember(chunk, 'choices');
    const delta = objectMember(choice, 'delta');
    for (const field of reasoningFields) {
      if (textMember(delta, field) !== '' || objectsMember(delta, field).length > 0) seen.add(field);
    }
    if (objectsMember(delta, 'content').some(({ type }) => type === 'thinking')) seen.add('content parts');
    content += textMember(delta, 'content') || textMember(choice, 'text');
  }
  return {
    reasoningFields: [...seen],
    openingTag: openingTags.find((tag) => content.includes(tag)),
    closingTag: closingTags.find((tag) => content.includes(tag)),
    sawDone: payloads.at(-1) === '[DONE]',
  };
}
