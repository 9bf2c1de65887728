import type { StreamEnd } from '../../../shared/llm/target-client.ts';
import { parseVerdictReply } from '../../../shared/llm/verdict/parse-verdict-reply.ts';
import type { ReplyVerdict, VerdictForm } from '../../../shared/llm/verdict/verdict-reply.ts';
import type { Verdict } from '../../../shared/schemas/verdict.ts';

/** A judgement, or why there is none and whether asking once more is worth it. */
export type Judgement =
  | { readonly verdict: ReplyVerdict }
  | { readonly failure: string; readonly retry: boolean; readonly isCut: boolean };

/** The steps that a quote is looked up in. */
export interface JudgedText {
  readonly step: string;
  readonly previousSteps: readonly string[];
  readonly form: VerdictForm;
}

const MAX_LOCATION = 200;
const MAX_EXPLANATION = 1_000;

/** What a request came to. Of a reply that broke off, only an alarm is believed: stopping is the safe side. */
export function readReply(end: StreamEnd, { step, previousSteps, form }: JudgedText): Judgement {
  const { error, finishReason, refusal } = end;
  const isBroken = error !== null || end.status === 'aborted';
  const reply = {
    content: end.answer,
    reasoningText: isBroken ? null : end.reasoning,
    finishReason: isBroken ? 'length' : finishReason,
    refusal,
  };
  const { verdict, failure, retry } = parseVerdictReply(reply, step, previousSteps, form);
  if (isBroken) {
    if (verdict?.error_detected === true) return { verdict };
    return { failure: error?.kind ?? 'timeout', retry: false, isCut: false };
  }
  return verdict === null ? { failure, retry, isCut: failure === 'truncated' } : { verdict };
}

export function toVerdict(judgement: Judgement, stepIndex: number, durationMs: number): Verdict {
  if ('failure' in judgement) {
    return { status: 'monitor_error', stepIndex, reason: judgement.failure, durationMs };
  }
  const { verdict } = judgement;
  return {
    status: 'judged',
    stepIndex,
    errorDetected: verdict.error_detected,
    errorType: verdict.error_type,
    confidence: verdict.confidence,
    errorLocation: clip(verdict.error_location, MAX_LOCATION),
    errorExplanation: clip(verdict.error_explanation, MAX_EXPLANATION),
    durationMs,
  };
}

/** At most so many UTF-16 units, and no half of a surrogate pair. */
function clip(text: string, maxUnits: number): string {
  const cut = text.slice(0, maxUnits);
  return cut.length < text.length ? cut.replace(/[\uD800-\uDBFF]$/, '') : cut;
}
