import type { AttackReading } from './attack-reading.ts';
import type { FlagType } from './flag-types.ts';
import type { Profile } from './profile.ts';
import type { TypeConfusion } from './type-confusion.ts';

/**
 * What runs are counted under: the attack of a guarded arm; `clean`, the guarded arms without one; of labelled chains
 * their data set, and, where labels are given, the labelled type.
 */
export const classKinds = ['attack', 'clean', 'dataset', 'label'] as const;
export type ClassKind = (typeof classKinds)[number];

/** The profile of a class, and the runs of it that say nothing, by reason. */
export interface SignatureClass extends Profile {
  readonly kind: ClassKind;
  readonly name: string;
  readonly dropped: Readonly<Record<string, number>>;
}

/** What the flags of one monitor look like. */
export interface MonitorSignatures {
  readonly monitor: string;
  readonly version: string;
  /** How much of the problem it saw. */
  readonly sees: string;
  /** What it can give at all: other types have no share, which is not a share of 0. */
  readonly gives: readonly FlagType[];
  /** Whether any of the chains, and any of the verdicts, came from the simulator. */
  readonly simulated: { readonly chains: boolean; readonly verdicts: boolean };
  /** Whether any of the chains were recorded in another sweep and judged again. */
  readonly replayed: boolean;
  readonly classes: readonly SignatureClass[];
  /** From flags to attacks, or why there is no such reading. */
  readonly reading: AttackReading | { readonly none: string };
  /** Labelled against flagged types; absent without labels. */
  readonly confusion?: TypeConfusion;
}

/** What `haltline signatures` tells. */
export interface SignatureReport {
  readonly sweeps: readonly string[];
  readonly targets: readonly string[];
  readonly datasets: readonly string[];
  /** Whether the first flag of a run counts, or each. */
  readonly basis: 'first' | 'all';
  readonly seed: string;
  readonly monitors: readonly MonitorSignatures[];
}
