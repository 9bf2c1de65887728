import { countTokens } from '../../../shared/core/tokens.ts';
import type { StreamEnd } from '../../../shared/llm/target-client.ts';
import type { MonitorUse } from '../../../shared/schemas/run-result.ts';

/**
 * What one request cost: by the server's own figures where it gave them, else by the local count of what was sent and
 * received. A request that was refused, or that no server took, cost nothing.
 *
 * @param promptTokens - the local count of what was sent
 */
export function useOfCall(end: StreamEnd, promptTokens: () => number): MonitorUse {
  const { usage, httpStatus, error } = end;
  const isRefused = error?.kind === 'connection_refused' || (httpStatus !== null && httpStatus >= 400);
  const tokensIn = usage?.promptTokens ?? (isRefused ? 0 : promptTokens());
  const tokensOut = usage?.completionTokens ?? countTokens(end.reasoning) + countTokens(end.answer);
  const whole = (count: number): number => Math.max(0, Math.round(count));
  return {
    calls: 1,
    tokensIn: whole(tokensIn),
    tokensOut: whole(tokensOut),
    tokensCached: whole(usage?.cachedTokens ?? 0),
    ...(end.simulated && { simulatedCalls: 1 }),
  };
}
