import type { ServerResponse } from 'node:http';
import { createRandom } from '../../shared/core/random.ts';
import { serverError } from './deliver-reply.ts';
import { type Fault, parseFault } from './faults.ts';
import { sendJson } from './http-messages.ts';
import type { SimulatorSettings } from './simulator-options.ts';

/** Each request of the same messages is drawn anew, so that a retry can succeed; the first draw is the seed's. */
export function createFaultDraw({
  faults,
  seed,
}: SimulatorSettings): (messagesHash: string) => Fault | undefined {
  const asked = new Map<string, number>();
  return (messagesHash) => {
    if (faults.length === 0) return undefined;
    const times = (asked.get(messagesHash) ?? 0) + 1;
    asked.set(messagesHash, times);
    let draw = createRandom(`${seed}/fault/${messagesHash}/${times}`).next();
    for (const { fault, share } of faults) {
      if (draw < share) return parseFault(fault);
      draw -= share;
    }
    return undefined;
  };
}

/** Faults that leave no room for a reply. @returns whether the request is dealt with */
export function strikeBeforeReply(response: ServerResponse, fault: Fault, note: () => void): boolean {
  if (fault.type === 'status') {
    note();
    if (fault.retryAfterSeconds !== undefined)
      response.setHeader('retry-after', String(fault.retryAfterSeconds));
    sendJson(response, fault.status, serverError(`simulated status ${fault.status}`));
  } else if (fault.type === 'refuse') {
    note();
    response.destroy();
  } else if (fault.type === 'hang') {
    note();
  } else {
    return false;
  }
  return true;
}
