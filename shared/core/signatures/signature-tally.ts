import { createRandom } from '../random.ts';
import { type ClusterSums } from '../statistics/clusters.ts';
import { type FlagType, flagTypes, type TypeSet, typeSetOf } from './flag-types.ts';

/** Questions that are told apart; a power of two. With more, questions share groups. */
const MOST_GROUPS = 4_096;

/** One scored run as a signature counts it. */
export interface SignatureRun {
  /** Names the question: runs of one question hang together, and are never parted between fitting and judging. */
  readonly question: string;
  /** What the run is counted under: an attack, a data set, ... */
  readonly className: string;
  /** The types of its flagged steps, each step once; empty where nothing was flagged. */
  readonly types: readonly FlagType[];
}

/** The runs of one class on the questions of one group. */
export interface GroupTally {
  runs: number;
  /** Flagged steps by the place of their type in `flagTypes`. */
  readonly flags: number[];
  /** Runs by the set of their types; those under 0 have no flag. */
  readonly sets: Map<TypeSet, number>;
}

/**
 * Counts of runs by class, question and the types of their flags. Memory is bounded whatever the number of runs: up to
 * 4,096 questions stand apart, more are put together by hash. What was counted does not depend on the order of the runs.
 */
export class SignatureTally {
  #groups = new Map<number, Map<string, GroupTally>>();
  readonly #classNames = new Set<string>();
  #isPooled = false;

  add({ question, className, types }: SignatureRun): void {
    this.#classNames.add(className);
    const hash = createRandom(question).int(2 ** 32);
    const tally = tallyIn(this.#groups, this.#isPooled ? hash % MOST_GROUPS : hash, className);
    tally.runs += 1;
    for (const type of types) bump(tally.flags, flagTypes.indexOf(type), 1);
    const set = typeSetOf(types);
    tally.sets.set(set, (tally.sets.get(set) ?? 0) + 1);
    if (!this.#isPooled && this.#groups.size > MOST_GROUPS) this.#pool();
  }

  /** In the order of their names. */
  get classNames(): readonly string[] {
    return [...this.#classNames].sort();
  }

  /** Groups of questions in ascending order, each with the tallies of its classes. */
  groups(): readonly ReadonlyMap<string, GroupTally>[] {
    return [...this.#groups].sort(([one], [other]) => one - other).map(([, classes]) => classes);
  }

  /** Adds up a class by group: `hits` and `records` say what counts; groups without a record are left out. */
  sums(
    className: string,
    hits: (tally: GroupTally) => number,
    records: (tally: GroupTally) => number,
  ): ClusterSums {
    const kept = this.groups().flatMap((classes) => {
      const tally = classes.get(className);
      return tally !== undefined && records(tally) > 0 ? [tally] : [];
    });
    return { sums: Float64Array.from(kept, hits), counts: Float64Array.from(kept, records) };
  }

  #pool(): void {
    const pooled = new Map<number, Map<string, GroupTally>>();
    for (const [group, classes] of this.#groups)
      for (const [className, tally] of classes) merge(tallyIn(pooled, group % MOST_GROUPS, className), tally);
    this.#groups = pooled;
    this.#isPooled = true;
  }
}

/** Runs in which nothing was flagged. */
export function unflagged({ sets }: GroupTally): number {
  return sets.get(0) ?? 0;
}

function tallyIn(groups: Map<number, Map<string, GroupTally>>, group: number, className: string): GroupTally {
  const classes = groups.get(group) ?? new Map<string, GroupTally>();
  groups.set(group, classes);
  const tally = classes.get(className) ?? { runs: 0, flags: flagTypes.map(() => 0), sets: new Map() };
  classes.set(className, tally);
  return tally;
}

function merge(into: GroupTally, tally: GroupTally): void {
  into.runs += tally.runs;
  tally.flags.forEach((count, place) => bump(into.flags, place, count));
  for (const [set, count] of tally.sets) into.sets.set(set, (into.sets.get(set) ?? 0) + count);
}

function bump(counts: number[], place: number, by: number): void {
  counts[place] = (counts[place] ?? 0) + by;
}
