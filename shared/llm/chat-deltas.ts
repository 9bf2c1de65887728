import { isJsonObject, objectMember, objectsMember, textMember, type JsonObject } from './json-value.ts';
import type { ReplyText } from './reply-text.ts';

/** Where the choices of a payload carry their text: streamed chat, a whole chat completion, or plain completions. */
export type ChoiceText = 'delta' | 'message' | 'text';

/**
 * Reads one chunk of a stream, or a whole completion, into the text of the reply (test/cases/README.md, 1.4). Only
 * the choice with index 0 counts; a chunk without one has no text.
 *
 * @returns the chunk's finish reason as sent; `''` when it has none
 */
export function readChoices(chunk: JsonObject, reply: ReplyText, choiceText: ChoiceText): string {
  let finishReason = '';
  for (const choice of objectsMember(chunk, 'choices')) {
    if (!isFirst(choice)) continue;
    if (choiceText === 'text') reply.addContent(textMember(choice, 'text'));
    else readDelta(objectMember(choice, choiceText), reply);
    finishReason = textMember(choice, 'finish_reason') || finishReason;
  }
  return finishReason;
}

/** Where a JSON document that a server sent in place of a stream carries its text; undefined if it is no completion. */
export function completionText(document: JsonObject): Exclude<ChoiceText, 'delta'> | undefined {
  const choice = objectsMember(document, 'choices').find(isFirst);
  if (isJsonObject(choice?.['message'])) return 'message';
  return typeof choice?.['text'] === 'string' ? 'text' : undefined;
}

function isFirst(choice: JsonObject): boolean {
  return (choice['index'] ?? 0) === 0;
}

function readDelta(delta: JsonObject, reply: ReplyText): void {
  const reasoning = fieldReasoning(delta);
  reply.addReasoning(reasoning);
  const content = delta['content'];
  if (typeof content === 'string') reply.addContent(content);
  else readParts(objectsMember(delta, 'content'), reply, { isReasoningRead: reasoning !== '' });
  reply.addRefusal(textMember(delta, 'refusal'));
}

/** The first field that has text. Servers mirror reasoning in several: adding two would double it. */
function fieldReasoning(delta: JsonObject): string {
  return (
    textMember(delta, 'reasoning_content') ||
    textMember(delta, 'reasoning') ||
    textMember(delta, 'thinking') ||
    objectsMember(delta, 'reasoning_details').map(detailText).join('')
  );
}

function detailText(detail: JsonObject): string {
  if (detail['type'] === 'reasoning.text') return textMember(detail, 'text');
  return detail['type'] === 'reasoning.summary' ? textMember(detail, 'summary') : '';
}

function readParts(
  parts: readonly JsonObject[],
  reply: ReplyText,
  { isReasoningRead }: { isReasoningRead: boolean },
): void {
  for (const part of parts) {
    const type = part['type'];
    if (type === 'text' || type === 'output_text') reply.addContent(textMember(part, 'text'));
    else if (!isReasoningRead) reply.addReasoning(partReasoning(part));
  }
}

function partReasoning(part: JsonObject): string {
  if (part['type'] === 'reasoning') return textMember(part, 'summary') || textMember(part, 'text');
  return part['type'] === 'thinking' ? thinkingText(part) : '';
}

function thinkingText(part: JsonObject): string {
  const pieces = objectsMember(part, 'thinking').map((piece) => textMember(piece, 'text'));
  return textMember(part, 'thinking') || pieces.join('');
}
