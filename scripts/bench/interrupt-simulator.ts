/** The target of the interrupt benchmark, a process of its own: 50 tokens/s a stream. Sends its URL to its parent. */
import { z } from 'zod';
import { createSimulator } from '../simulator/create-simulator.ts';
import { scriptOf } from './interrupt-chains.ts';

const bodySchema = z.object({ messages: z.array(z.object({ content: z.string() })) });

const simulator = await createSimulator({
  tokensPerSecond: 50,
  logEntries: 0,
  script: (body) => scriptOf(bodySchema.parse(body).messages),
});
process.send?.(simulator.url);
