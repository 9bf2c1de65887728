import type { Channel, Step } from '../../../../shared/schemas/step.ts';
import { StepReading } from '../../../../workers/monitor/rules/step-reading.ts';

export function rawStep(text: string, index = 0, channel: Channel = 'content'): Step {
  return { index, channel, text, tokens: 1, endedAtMs: 0 };
}

export function stepOf(text: string, index = 0, channel: Channel = 'content'): StepReading {
  return new StepReading(rawStep(text, index, channel));
}
