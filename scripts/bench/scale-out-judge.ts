/** The monitor model of the scale-out benchmark, a process of its own: every call takes 500 ms. Sends its URL. */
import { createSimulator } from '../simulator/create-simulator.ts';

const [, , judgeMs = '500'] = process.argv;
const verdict = {
  ...{ error_detected: false, error_type: 'NO_ERROR', confidence: 0.9 },
  ...{ error_location: '', error_explanation: '' },
};
const script = { content: [JSON.stringify(verdict)] };
const simulator = await createSimulator({
  timeToFirstTokenMs: Number(judgeMs),
  logEntries: 0,
  script: () => script,
});
process.send?.(simulator.url);
