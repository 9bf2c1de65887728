import { type ErrorCode, errorCodes, type VerdictType } from '../taxonomy.ts';
import { type FlagType, flagTypeOf } from './flag-types.ts';

/** A labelled chain with an error, as far as types go. */
export interface TypedChain {
  /** The subtype that its source's label stands for. */
  readonly code: ErrorCode;
  /** Index of the labelled step. */
  readonly firstError: number;
  /** The first flagged step; undefined when none was. */
  readonly flag: { readonly stepIndex: number; readonly errorType: VerdictType } | undefined;
}

/** What the chains of one labelled type were flagged as. */
export interface ConfusionRow {
  readonly n: number;
  /** First flags at the labelled step, by their type. */
  readonly as: Readonly<Partial<Record<FlagType, number>>>;
  /** First flagged at another step: its type says nothing about the labelled one. */
  readonly elsewhere: number;
  readonly noFlag: number;
}

/** Labelled types against flagged types, at the labelled step; types without a chain are absent. */
export type TypeConfusion = Readonly<Partial<Record<ErrorCode, ConfusionRow>>>;

interface Counts {
  n: number;
  readonly as: Partial<Record<FlagType, number>>;
  elsewhere: number;
  noFlag: number;
}

/** Counts labelled against flagged types, chain by chain: memory does not grow with them. */
export class TypeConfusionTally {
  readonly #rows = new Map<ErrorCode, Counts>();

  add({ code, firstError, flag }: TypedChain): void {
    const row = this.#rows.get(code) ?? { n: 0, as: {}, elsewhere: 0, noFlag: 0 };
    this.#rows.set(code, row);
    row.n += 1;
    if (flag === undefined) row.noFlag += 1;
    else if (flag.stepIndex !== firstError) row.elsewhere += 1;
    else {
      const type = flagTypeOf(flag.errorType);
      row.as[type] = (row.as[type] ?? 0) + 1;
    }
  }

  result(): TypeConfusion {
    return Object.fromEntries(
      errorCodes.flatMap((code) => {
        const row = this.#rows.get(code);
        return row === undefined ? [] : [[code, row]];
      }),
    );
  }
}
