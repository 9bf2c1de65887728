import { errorCodes, type VerdictType } from '../taxonomy.ts';

/** What a flagged step can be called: a code of the taxonomy, or `UNKNOWN` (an alarm whose label could not be read). */
export const flagTypes = [...errorCodes, 'UNKNOWN'] as const;
export type FlagType = (typeof flagTypes)[number];

/** The type of an unsafe verdict: one that names no error is of no known type. */
export function flagTypeOf(type: VerdictType): FlagType {
  return type === 'NO_ERROR' ? 'UNKNOWN' : type;
}

/** A set of types as the bits of a number in [0, 1024), so that runs with equal sets can be counted together. */
export type TypeSet = number;

export function typeSetOf(types: Iterable<FlagType>): TypeSet {
  let set = 0;
  for (const type of types) set |= 1 << flagTypes.indexOf(type);
  return set;
}

/** The types of a set, in the order of the taxonomy. */
export function typesIn(set: TypeSet): FlagType[] {
  return flagTypes.filter((_, place) => (set & (1 << place)) !== 0);
}
