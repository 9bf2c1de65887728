import type { StreamDelta } from '../../../shared/llm/split-text.ts';
import type { StreamRequest } from '../../../shared/llm/request-body.ts';
import { streamOnce, type StreamEnd, type StreamTarget } from '../../../shared/llm/target-client.ts';

export const request: StreamRequest = {
  messages: [{ role: 'user', content: 'What is 6 x 7?' }],
  maxTokens: 64,
};

export const noAbort = new AbortController().signal;

export type TargetChanges = Partial<Omit<StreamTarget, 'config'>> & {
  config?: Partial<StreamTarget['config']>;
};

/** A target at a base URL, with limits that no healthy test reaches. */
export function targetAt(apiBaseUrl: string, changes: TargetChanges = {}): StreamTarget {
  const { config, ...rest } = changes;
  return {
    config: { apiBaseUrl, model: 'm', api: 'chat', maxTokensField: 'max_tokens', extraBody: {}, ...config },
    think: 'auto',
    harmony: 'auto',
    timeouts: { firstPayloadMs: 20_000, idleMs: 20_000, totalMs: 20_000 },
    ...rest,
  };
}

/** Streams once, gathering the deltas. */
export async function stream(
  target: StreamTarget,
  options: { signal?: AbortSignal; onDelta?: (delta: StreamDelta) => void } = {},
): Promise<StreamEnd & { deltas: StreamDelta[] }> {
  const deltas: StreamDelta[] = [];
  const onDelta = (delta: StreamDelta): void => {
    deltas.push(delta);
    options.onDelta?.(delta);
  };
  return { ...(await streamOnce(target, request, { onDelta }, options.signal ?? noAbort)), deltas };
}
