import { isJsonObject, objectMember, type JsonObject } from './json-value.ts';

/** Token counts as the server reports them. null: not reported, which is not zero. */
export interface Usage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** As reported, else the sum of the two; a missing one adds 0. */
  readonly totalTokens: number;
  readonly reasoningTokens: number | null;
  /** Of the prompt, what the server had in its cache. */
  readonly cachedTokens: number | null;
}

/**
 * The usage that one payload reports, wherever servers put it (test/cases/README.md, 1.6); null when there is none.
 * Counts are running totals: the caller keeps the last and never adds.
 */
export function readUsage(payload: JsonObject): Usage | null {
  const places = [
    payload['usage'],
    objectMember(payload, 'x_groq')['usage'],
    firstChoice(payload)['usage'],
    objectMember(payload, 'response')['usage'],
  ];
  for (const place of places) {
    const usage = isJsonObject(place) ? parseUsage(place) : null;
    if (usage !== null) return usage;
  }
  return null;
}

function firstChoice(payload: JsonObject): JsonObject {
  const choices: unknown = payload['choices'];
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isJsonObject(first) ? first : {};
}

function parseUsage(usage: JsonObject): Usage | null {
  const promptTokens = count(usage['prompt_tokens']) ?? count(usage['input_tokens']);
  const completionTokens = count(usage['completion_tokens']) ?? count(usage['output_tokens']);
  if (promptTokens === null && completionTokens === null) return null;
  return {
    promptTokens,
    completionTokens,
    totalTokens: count(usage['total_tokens']) ?? (promptTokens ?? 0) + (completionTokens ?? 0),
    reasoningTokens:
      count(objectMember(usage, 'completion_tokens_details')['reasoning_tokens']) ??
      count(objectMember(usage, 'output_tokens_details')['reasoning_tokens']) ??
      count(usage['reasoning_tokens']),
    cachedTokens:
      count(objectMember(usage, 'prompt_tokens_details')['cached_tokens']) ??
      count(objectMember(usage, 'input_tokens_details')['cached_tokens']) ??
      count(usage['prompt_cache_hit_tokens']),
  };
}

function count(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
