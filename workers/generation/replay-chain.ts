import type { Replay } from '../../shared/schemas/job.ts';
import type { OpenStream } from './target-stream.ts';

/**
 * Plays a recorded chain in place of a target's stream: its own steps, all at once, never cut again. Whatever comes
 * after (publishing, verdicts, gate, commit) is that of a live run.
 *
 * @param now - Unix epoch milliseconds
 */
export function replayChain({ steps }: Replay, now: () => number): OpenStream {
  return (sink) => {
    const startedAtMs = now();
    sink.onSteps(steps);
    return Promise.resolve({
      status: 'complete',
      reasoning: '',
      // Where a recorded chain gives its answer at all, its last step does.
      answer: steps.at(-1) ?? '',
      ...{ refusal: null, finishReason: null, usage: null, error: null, simulated: false },
      ...{ startedAtMs, firstTokenAtMs: undefined, closedAtMs: now(), limitWaitMs: 0, retries: 0 },
    });
  };
}
