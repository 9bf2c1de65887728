import { extractAnswer } from '../../shared/core/answers/answers.ts';
import { isRefusal } from '../../shared/core/answers/refusal.ts';
import type { GenerationJob } from '../../shared/schemas/job.ts';
import type { Outcome } from '../../shared/schemas/run-outcome.ts';
import type { TargetStream } from './target-stream.ts';

export interface Decision {
  readonly outcome: Outcome;
  /** The released answer; only with `answered`. */
  readonly answer?: string;
}

/**
 * How a run ended. A halt goes before all else; `monitor_error` halts only a run without a flag, which is why `halt`
 * comes from the ledger and not from the stream.
 *
 * @param stream - undefined when no request was made: nobody watched in time
 */
export function decideOutcome(
  job: Pick<GenerationJob, 'extractor' | 'choices'>,
  stream: TargetStream | undefined,
  halt: 'verdict' | 'monitor_error' | undefined,
): Decision {
  if (halt || !stream) return { outcome: { status: 'halted', reason: halt ?? 'monitor_error' } };
  if (stream.status === 'failed' || stream.status === 'aborted') {
    const { code, message } = stream.error ?? { code: 'aborted', message: 'the stream was closed' };
    return { outcome: { status: 'failed', code, message } };
  }
  if (stream.status === 'filtered') return { outcome: { status: 'filtered' } };
  if (stream.status === 'length') return { outcome: { status: 'unanswered', reason: 'length' } };
  if (stream.refusal) return { outcome: { status: 'refused' } };
  const answer = extractAnswer(job.extractor, stream.answer, { choices: job.choices });
  if (answer !== undefined) return { outcome: { status: 'answered' }, answer };
  if (isRefusal(stream.answer)) return { outcome: { status: 'refused' } };
  return { outcome: { status: 'unanswered', reason: 'unparsed' } };
}
