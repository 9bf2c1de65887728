import { readAttacks } from '../../../shared/core/signatures/attack-reading.ts';
import type { FlagType } from '../../../shared/core/signatures/flag-types.ts';
import { profileOf } from '../../../shared/core/signatures/profile.ts';
import {
  type ClassKind,
  classKinds,
  type MonitorSignatures,
} from '../../../shared/core/signatures/signature-report.ts';
import { SignatureTally } from '../../../shared/core/signatures/signature-tally.ts';
import { TypeConfusionTally } from '../../../shared/core/signatures/type-confusion.ts';
import type { ErrorCode } from '../../../shared/core/taxonomy.ts';
import type { FlaggedRun } from './read-flagged-runs.ts';

export interface RunClass {
  readonly kind: ClassKind;
  readonly name: string;
}

/** What one run adds. */
export interface BookEntry {
  readonly run: FlaggedRun;
  /** Names the question, over all sweeps. */
  readonly question: string;
  readonly classes: readonly RunClass[];
  /** Of a labelled chain with an error whose label stands for a type. */
  readonly labelled: { readonly code: ErrorCode; readonly firstError: number } | undefined;
}

/** One monitor's part of a report. */
export interface BookKey {
  readonly monitor: string;
  readonly version: string;
  readonly sees: string;
  readonly gives: readonly FlagType[];
}

/** Counts the runs of one monitor; see `SignatureTally` for what that takes. */
export class SignatureBook {
  readonly #key: BookKey;
  readonly #tally = new SignatureTally();
  readonly #classes = new Map<string, RunClass & { dropped: Map<string, number> }>();
  readonly #confusion = new TypeConfusionTally();
  readonly #simulated = { chains: false, verdicts: false };
  #hasLabels = false;
  #replayed = false;

  constructor(key: BookKey) {
    this.#key = key;
  }

  add({ run, question, classes, labelled }: BookEntry): void {
    const { line, types, first } = run;
    this.#simulated.chains ||= line.simulated;
    this.#simulated.verdicts ||= (line.monitorUse.simulatedCalls ?? 0) > 0;
    this.#replayed ||= line.replayed !== undefined;
    for (const { kind, name } of classes) {
      const known = this.#classes.get(name) ?? { kind, name, dropped: new Map<string, number>() };
      this.#classes.set(name, known);
      if (typeof types === 'string') known.dropped.set(types, (known.dropped.get(types) ?? 0) + 1);
      else this.#tally.add({ question, className: name, types });
    }
    if (labelled === undefined || typeof types === 'string') return;
    this.#hasLabels = true;
    this.#confusion.add({ ...labelled, flag: first });
  }

  /** @param seed - of the parts that the questions are dealt into */
  result(seed: string): MonitorSignatures {
    const { gives } = this.#key;
    const classes = [...this.#classes.values()].sort(inOrder);
    const classNames = classes
      .filter(({ kind }) => kind === 'attack' || kind === 'clean')
      .map(({ name }) => name);
    const reading = readAttacks(this.#tally, { classNames, types: gives, seed });
    return {
      ...this.#key,
      simulated: { ...this.#simulated },
      replayed: this.#replayed,
      classes: classes.map(({ kind, name, dropped }) => ({
        ...{ kind, name, dropped: Object.fromEntries(dropped) },
        ...profileOf(this.#tally, name, gives),
      })),
      reading: typeof reading === 'string' ? { none: reading } : reading,
      ...(this.#hasLabels && { confusion: this.#confusion.result() }),
    };
  }
}

function inOrder(one: RunClass, other: RunClass): number {
  const kinds = classKinds.indexOf(one.kind) - classKinds.indexOf(other.kind);
  return kinds === 0 ? (one.name < other.name ? -1 : 1) : kinds;
}
