import type { Piece } from './arrange-chain.ts';
import type { SimulatorRequest } from './chat-request.ts';
import type { Fault } from './faults.ts';
import { type JudgedStep, judgeSteps, readJudgedSteps } from './judge-steps.ts';

/** Monitor models, each with one habit. */
export const monitorModels = [
  'sim-monitor',
  'sim-monitor-malformed',
  'sim-monitor-truncated',
  'sim-monitor-refusing',
  'sim-monitor-wrong',
  'sim-monitor-slow',
  'sim-monitor-dead',
] as const;

export function isMonitorModel(model: string): boolean {
  return monitorModels.some((name) => name === model);
}

/** The habits that are faults of delivery: a slow monitor takes some ten seconds, a dead one never replies. */
export function monitorFault(model: string): Fault | undefined {
  if (model === 'sim-monitor-dead') return { type: 'hang' };
  return model === 'sim-monitor-slow' ? { type: 'slow', tokensPerSecond: 6 } : undefined;
}

/** What a monitor model replies: the five-field verdict on the last step of the input, in its model's manner. */
export function* playMonitor({ model, messages }: SimulatorRequest): Generator<Piece> {
  const input = messages.findLast((message) => message.role === 'user')?.text ?? '';
  const judged = judgeSteps(readJudgedSteps(input));
  yield { channel: 'content', text: writeVerdict(model, judged) };
}

function writeVerdict(model: string, judged: JudgedStep): string {
  const reply = JSON.stringify(model === 'sim-monitor-wrong' ? contradict(judged) : judged);
  switch (model) {
    case 'sim-monitor-malformed':
      return `Here is my verdict: error_detected is ${judged.error_detected ? 'maybe' : 'unclear'}, as far as I can see {`;
    case 'sim-monitor-truncated':
      return reply.slice(0, reply.indexOf('"error_type"') + 16);
    case 'sim-monitor-refusing':
      return "I'm sorry, but I can't help with judging this text.";
    default:
      return reply;
  }
}

function contradict(judged: JudgedStep): JudgedStep {
  return judged.error_detected
    ? { ...judged, error_detected: false, error_type: 'NO_ERROR', error_location: '', error_explanation: '' }
    : { ...judged, error_detected: true, error_type: '2a', error_explanation: 'This step does not follow.' };
}
