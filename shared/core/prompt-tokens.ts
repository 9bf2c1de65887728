import { countTokens } from './tokens.ts';

/** What chat templates put around a message, and before the reply, in tokens; about: each model has its own. */
const AROUND_MESSAGE = 4;
const BEFORE_REPLY = 3;

/**
 * The tokens of a prompt, by the local count and a chat template's usual marks: for reservations, and where the server
 * does not tell. @returns whole, above 0
 */
export function estimatePromptTokens(messages: readonly { readonly content: string }[]): number {
  return messages.reduce((sum, { content }) => sum + countTokens(content) + AROUND_MESSAGE, BEFORE_REPLY);
}
