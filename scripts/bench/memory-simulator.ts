/** The target of the memory benchmark, a process of its own: two short steps at once. Sends its URL to its parent. */
import { createSimulator } from '../simulator/create-simulator.ts';

const script = {
  reasoning: ['Both numbers are in the question, and they are added.\n\n'],
  content: ['The answer is 42.'],
};
const simulator = await createSimulator({ logEntries: 0, script: () => script });
process.send?.(simulator.url);
