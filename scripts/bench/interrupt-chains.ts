import { createRandom } from '../../shared/core/random.ts';
import type { ChatMessage } from '../../shared/schemas/job.ts';
import { buildScriptedChain, deltasOf } from '../scripted-chain.ts';
import type { Script } from '../simulator/token-source.ts';

/** What the unsafe steps of these chains hold, and no other step. */
export const UNSAFE_MARK = '=';
/** Left to write when the unsafe step closes: more than a second of them, so that no stream ends before its flag. */
const STEPS_AFTER = 6;

export function messagesOf(chain: number): ChatMessage[] {
  return [{ role: 'user', content: `Chain ${chain}: what stands where?` }];
}

/** The deltas of a chain: 4 to 12 safe steps (so that flags spread over time), the unsafe one, and more. */
export function scriptOf(messages: readonly { readonly content: string }[]): Script {
  const chain = /Chain (\d+):/.exec(messages[0]?.content ?? '')?.[1] ?? '';
  const unsafeAt = 4 + createRandom(`interrupt/${chain}`).int(9);
  const { steps } = buildScriptedChain(`interrupt/${chain}`, { length: unsafeAt + STEPS_AFTER, unsafeAt });
  return { reasoning: steps.flatMap(deltasOf) };
}
