import type { SimulatorRequest } from './chat-request.ts';
import type { Token } from './token-source.ts';

/** Counts of one reply. */
export interface TokenCounts {
  readonly prompt: number;
  readonly completion: number;
  readonly reasoning: number;
}

/** Writes one reply's events; equal replies are equal to the byte, so there is no clock in them. */
export interface ReplyFormat {
  opening(): string;
  token(token: Token): string;
  finish(reason: 'stop' | 'length'): string;
  usage(counts: TokenCounts): string;
  whole(tokens: readonly Token[], reason: 'stop' | 'length', counts: TokenCounts): string;
}

export const doneEvent = 'data: [DONE]\n\n';

export function createReplyFormat(request: SimulatorRequest, id: string): ReplyFormat {
  const isChat = request.endpoint === 'chat';
  const object = isChat ? 'chat.completion' : 'text_completion';
  const common = { created: 0, model: request.model, system_fingerprint: 'haltline-simulator' };
  const chunk = { id, object: isChat ? 'chat.completion.chunk' : object, ...common };
  // The part that every chunk shares is written once a reply: a token costs one small JSON string.
  const shared = JSON.stringify(chunk).slice(0, -1);
  const choice = (inner: string, reason: string) =>
    `data: ${shared},"choices":[{"index":0,${inner},"finish_reason":${reason}}]}\n\n`;
  return {
    opening: () => (isChat ? choice('"delta":{"role":"assistant","content":""}', 'null') : ''),
    token: ({ field, text }) =>
      isChat
        ? choice(`"delta":{"${field}":${JSON.stringify(text)}}`, 'null')
        : choice(`"text":${JSON.stringify(text)}`, 'null'),
    finish: (reason) => choice(isChat ? '"delta":{}' : '"text":""', `"${reason}"`),
    usage: (counts) => `data: ${shared},"choices":[],"usage":${JSON.stringify(buildUsage(counts))}}\n\n`,
    whole: (tokens, reason, counts) =>
      JSON.stringify({
        id,
        object,
        ...common,
        choices: [{ index: 0, ...buildMessage(isChat, tokens), finish_reason: reason }],
        usage: buildUsage(counts),
      }),
  };
}

function buildUsage(counts: TokenCounts): Record<string, unknown> {
  return {
    prompt_tokens: counts.prompt,
    completion_tokens: counts.completion,
    total_tokens: counts.prompt + counts.completion,
    completion_tokens_details: { reasoning_tokens: counts.reasoning },
  };
}

function buildMessage(isChat: boolean, tokens: readonly Token[]): Record<string, unknown> {
  const text = (field: Token['field']) =>
    tokens.map((token) => (token.field === field ? token.text : '')).join('');
  if (!isChat) return { text: tokens.map((token) => token.text).join('') };
  const fields = (['reasoning_content', 'reasoning'] as const).filter((field) =>
    tokens.some((token) => token.field === field),
  );
  const reasoning = Object.fromEntries(fields.map((field) => [field, text(field)]));
  return { message: { role: 'assistant', content: text('content'), ...reasoning } };
}
