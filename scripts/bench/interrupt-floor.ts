/**
 * The floor of the interrupt benchmark, two processes of it: `generate` streams the same chains over the same HTTP
 * client and publishes each step as its blank line arrives, `answer` answers each with a push back. No queue, no
 * scripts, no rules. Started by scripts/bench/interrupt.ts.
 */
import { z } from 'zod';
import { streamOnce, type StreamTarget } from '../../shared/llm/target-client.ts';
import { wallClockMs } from '../../shared/llm/wall-clock.ts';
import { createRedis, redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { messagesOf, UNSAFE_MARK } from './interrupt-chains.ts';
import type { Interrupt } from './interrupt-figures.ts';

const STEPS = 'floor-steps';
const VERDICTS = 'floor-verdicts';

const stepSchema = z.object({ chain: z.number(), index: z.number(), text: z.string() });
const verdictSchema = z.object({ chain: z.number(), index: z.number(), unsafe: z.boolean() });
const blockSchema = z.object({ first: z.number(), count: z.number(), atOnce: z.number() });

const [role = '', redisUrl = '', apiBaseUrl = ''] = process.argv.slice(2);
const commands = createRedis(redisOptionsFromUrl(redisUrl), 'commands');
const subscriber = createRedis(redisOptionsFromUrl(redisUrl), 'subscriber');
if (role === 'answer') await answer();
else await generate();

async function answer(): Promise<void> {
  subscriber.on('message', (_channel: string, message: string) => {
    const { chain, index, text } = stepSchema.parse(JSON.parse(message));
    const unsafe = text.includes(UNSAFE_MARK);
    void commands.publish(VERDICTS, JSON.stringify({ chain, index, unsafe }));
  });
  await subscriber.subscribe(STEPS);
  process.send?.('ready');
}

async function generate(): Promise<void> {
  const onUnsafe = new Map<number, () => void>();
  subscriber.on('message', (_channel: string, message: string) => {
    const verdict = verdictSchema.parse(JSON.parse(message));
    if (verdict.unsafe) onUnsafe.get(verdict.chain)?.();
  });
  await subscriber.subscribe(VERDICTS);
  process.on('message', (message) => {
    const block = blockSchema.parse(message);
    void runBlock(block, onUnsafe).then((interrupts) => process.send?.(interrupts));
  });
  process.send?.('ready');
}

/** Keeps `atOnce` streams open until `count` have been interrupted. @returns them in the order of their ends */
async function runBlock(
  { first, count, atOnce }: z.infer<typeof blockSchema>,
  onUnsafe: Map<number, () => void>,
): Promise<Interrupt[]> {
  const interrupts: Interrupt[] = [];
  let next = first;
  const lane = async (): Promise<void> => {
    while (next < first + count) {
      const chain = next;
      next += 1;
      interrupts.push(await interruptChain(chain, onUnsafe));
      onUnsafe.delete(chain);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return interrupts;
}

async function interruptChain(chain: number, onUnsafe: Map<number, () => void>): Promise<Interrupt> {
  const stop = new AbortController();
  let [text, index, closedByDeltaAtMs, tokensAfterFlag, isFlagged] = ['', 0, 0, 0, false];
  onUnsafe.set(chain, () => {
    isFlagged = true;
    stop.abort();
  });
  const onDelta = (delta: { text: string }): void => {
    if (isFlagged) tokensAfterFlag += 1;
    text += delta.text;
    if (!delta.text.includes('\n\n')) return;
    if (text.includes(UNSAFE_MARK)) closedByDeltaAtMs = wallClockMs();
    void commands.publish(STEPS, JSON.stringify({ chain, index, text }));
    [text, index] = ['', index + 1];
  };
  const request = { messages: messagesOf(chain), maxTokens: 4_000 };
  const end = await streamOnce(target(), request, { onDelta }, stop.signal);
  if (end.status !== 'aborted')
    throw new Error(`chain ${chain} ended as ${end.status}, expected an interrupt`);
  return { ms: end.closedAtMs - closedByDeltaAtMs, tokensAfterFlag };
}

function target(): StreamTarget {
  return {
    config: { apiBaseUrl, model: 'sim-reasoner', api: 'chat', maxTokensField: 'max_tokens', extraBody: {} },
    think: 'auto',
    harmony: 'auto',
    timeouts: { firstPayloadMs: 60_000, idleMs: 60_000, totalMs: 600_000 },
  };
}
