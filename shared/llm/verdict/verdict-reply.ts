import type { VerdictType } from '../../core/taxonomy.ts';

/** A monitor model's reply, as its message has it: texts unchanged, null where there is none. */
export interface VerdictReply {
  readonly content: string | null;
  readonly finishReason: string | null;
  /** Reasoning that stands in a field of its own, not in the content. */
  readonly reasoningText: string | null;
  readonly refusal: string | null;
}

/** What a reply says, in its own field names. */
export interface ReplyVerdict {
  readonly error_detected: boolean;
  readonly error_type: VerdictType;
  /** [0, 1]; null when it could not be read. */
  readonly confidence: number | null;
  readonly error_location: string;
  readonly error_explanation: string;
}

/** `typed`: five fields. `binary`: the same without `error_type`, as the `vanilla` monitor asks for. */
export type VerdictForm = 'typed' | 'binary';

/** How the quote was found in the step; `none`: nowhere. It never changes the flag. */
export type LocationMatch = 'exact' | 'normalized' | 'prefix' | 'previous_step' | 'none' | 'empty';

/** Why a reply is of no use (test/cases/README.md, 2.1). */
export const verdictFailures = [
  'refusal',
  'filtered',
  'empty',
  'truncated',
  'not_json',
  'schema',
  'contradiction',
  'ambiguous',
] as const;
export type VerdictFailure = (typeof verdictFailures)[number];

export interface UsableReply {
  /** `ok`: to the letter. `repaired`: after changes. `salvaged`: from a cut reply, and then always an alarm. */
  readonly parse: 'ok' | 'repaired' | 'salvaged';
  readonly verdict: ReplyVerdict;
  readonly locationMatch: LocationMatch;
  readonly failure: null;
  readonly retry: false;
}

/** Never to be read as "no error". */
export interface UnusableReply {
  readonly parse: 'invalid';
  readonly verdict: null;
  readonly locationMatch: null;
  readonly failure: VerdictFailure;
  /** Whether asking once more is worth it. */
  readonly retry: boolean;
}

export type ParsedReply = UsableReply | UnusableReply;

export function unusable(failure: VerdictFailure): UnusableReply {
  const retry = failure !== 'refusal' && failure !== 'filtered';
  return { parse: 'invalid', verdict: null, locationMatch: null, failure, retry };
}
