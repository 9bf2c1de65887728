import type { Piece } from './arrange-chain.ts';
import { cutTokens } from './cut-tokens.ts';
import type { Personality } from './personality.ts';

export type DeltaField = 'content' | 'reasoning_content' | 'reasoning';

/** One delta. */
export interface Token {
  readonly field: DeltaField;
  readonly text: string;
  readonly isReasoning: boolean;
}

/** Cuts pieces into tokens and puts reasoning where the personality writes it. Lazy, as pieces may never end. */
export function* tokensOf(pieces: Iterable<Piece>, reasoning: Personality['reasoning']): Generator<Token> {
  const inTags = reasoning === 'tags' || reasoning === 'none';
  const field: DeltaField = inTags ? 'content' : reasoning;
  let isThinking = false;
  for (const piece of pieces) {
    const isReasoning = piece.channel === 'reasoning';
    if (inTags && isReasoning !== isThinking) {
      yield* cut(isReasoning ? '<think>\n' : '\n</think>\n\n', 'content', true);
    }
    isThinking = isReasoning;
    yield* cut(piece.text, isReasoning ? field : 'content', isReasoning);
  }
}

function* cut(text: string, field: DeltaField, isReasoning: boolean): Generator<Token> {
  // Tags are single tokens in the vocabulary of the models that use them.
  const tags = text.split(/(<\/?think>)/).filter((part) => part !== '');
  for (const part of tags) {
    if (/^<\/?think>$/.test(part)) yield { field, text: part, isReasoning };
    else for (const token of cutTokens(part)) yield { field, text: token, isReasoning };
  }
}

/** Exact deltas for one request, for tests that need to know each of them. */
export interface Script {
  readonly reasoning?: readonly string[];
  readonly content?: readonly string[];
}

export function* scriptedTokens(script: Script, reasoning: Personality['reasoning']): Generator<Token> {
  const field: DeltaField = reasoning === 'tags' || reasoning === 'none' ? 'reasoning_content' : reasoning;
  for (const text of script.reasoning ?? []) yield { field, text, isReasoning: true };
  for (const text of script.content ?? []) yield { field: 'content', text, isReasoning: false };
}
