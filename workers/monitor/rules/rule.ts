import type { ErrorCode } from '../../../shared/core/taxonomy.ts';
import type { Problem } from '../../../shared/schemas/problem.ts';
import type { StepReading } from './step-reading.ts';

/** What a rule has against one step: `quote` is a verbatim piece of it, at most 200 UTF-16 units. */
export interface Finding {
  readonly errorType: ErrorCode;
  /** [0, 1]. The rule's own guess: what was measured (`confidences.ts`) goes before it. */
  readonly confidence: number;
  readonly quote: string;
  /** One sentence for a person. */
  readonly explanation: string;
}

/** A rule's memory of one chain. It sees every step once, in order, flagged or not: its state needs all of them. */
export interface RuleState {
  inspect(step: StepReading): Finding | undefined;
}

/** One deterministic check. It holds no state of its own; `begin` makes one state a chain. */
export interface Rule {
  readonly name: string;
  /** The taxonomy codes that it can raise. */
  readonly codes: readonly ErrorCode[];
  begin(problem: Problem): RuleState;
}

/** How much doubt a rule gives a step: `precise` stays silent where `sensitive` would speak. */
export type Policy = 'precise' | 'sensitive';
