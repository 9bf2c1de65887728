import type { RecordedChain, Replay } from '../../shared/schemas/job.ts';
import type { OpenStream } from './target-stream.ts';

/** Whether a job's chain stands with its times and its run: one that is judged again. */
export function isRecordedChain(replay: Replay | undefined): replay is RecordedChain {
  return replay !== undefined && 'run' in replay;
}

/**
 * Plays a recorded chain in place of a target's stream: its own steps, all at once, never cut again. Whatever comes
 * after (publishing, verdicts, gate, commit) is that of a live run.
 *
 * @param now - Unix epoch milliseconds
 */
export function replayChain(replay: Replay, now: () => number): OpenStream {
  return (sink) => {
    const startedAtMs = now();
    if (isRecordedChain(replay)) sink.onRecorded(replay.chain);
    else sink.onSteps(replay.steps);
    return Promise.resolve({
      status: 'complete',
      reasoning: '',
      // Where a labelled chain gives its answer at all, its last step does. Of a run that is judged again it is known.
      answer: isRecordedChain(replay) ? '' : (replay.steps.at(-1) ?? ''),
      ...{ refusal: null, finishReason: null, usage: null, error: null, simulated: false },
      ...{ startedAtMs, firstTokenAtMs: undefined, closedAtMs: now(), limitWaitMs: 0, retries: 0 },
    });
  };
}
