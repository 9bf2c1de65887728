import { hashJson } from '../../shared/hash.ts';
import { messagesHashOf } from '../../shared/messages-hash.ts';
import type { CaseEntry, GenerationJob, RecordedChain } from '../../shared/schemas/job.ts';
import { jobBytes, MAX_JOB_BYTES, type Plan } from '../plan-sweep.ts';

/** The stored runs of the sweep that is judged again, by what was asked. */
export interface JudgedSources {
  /** A number for `read`; or why the run cannot be judged again; undefined when it is not there. */
  find(asked: {
    readonly target: string;
    readonly repeat: number;
    readonly seed: number;
    readonly messagesHash: string;
  }): number | string | undefined;
  readonly count: number;
  bytesOf(run: number): number;
  read(run: number): RecordedChain;
}

export interface JudgedPlan {
  readonly plan: Plan;
  /** Runs without a monitor that are judged again, and those of the plan that are left out, by reason. */
  readonly runs: number;
  readonly dropped: Readonly<Record<string, number>>;
  /** Runs of monitored arms. */
  readonly guarded: number;
}

interface Kept {
  /** Places in the base plan, rising: the place here is the index. */
  readonly places: number[];
  /** The stored run of each. */
  readonly sources: number[];
}

/**
 * Plans the stored chains of a sweep under other monitors: of a plan of the same spec with those monitors it keeps the
 * runs whose chain is stored, each as a replay. A monitored run replays the chain of the unmonitored run that was asked
 * the same; what cannot be replayed is left out and counted.
 *
 * Reasons beside those of `sources`: `notRun`; `promptChanged` (the folder has runs, but of prompts that this version
 * renders otherwise); `tooLarge` (its chain and its prompt, in some arm, are more than a job may hold).
 */
export function createJudgedPlan(base: Plan, sources: JudgedSources): JudgedPlan {
  const kept: Kept = { places: [], sources: [] };
  const dropped: Record<string, number> = {};
  const used = new Set<number>();
  const tooLarge = new Set<number>();
  let [missing, guarded] = [0, 0];
  const drop = (reason: string): void => void (dropped[reason] = (dropped[reason] ?? 0) + 1);
  for (let block = 0; block < base.blockCount; block += 1) {
    for (const job of base.block(block)) {
      const asked = { ...job, messagesHash: messagesHashOf(job) };
      const source = sources.find(asked);
      if (job.guard === undefined && source === undefined) missing += 1;
      if (job.guard === undefined && source !== undefined) used.add(job.place);
      if (job.guard === undefined && typeof source === 'string') drop(source);
      if (typeof source !== 'number') continue;
      if (sources.bytesOf(source) + jobBytes(withoutEmbeds(job)) > MAX_JOB_BYTES - OVERHEAD_BYTES) {
        tooLarge.add(source);
        continue;
      }
      kept.places.push(job.place);
      kept.sources.push(source);
      if (job.guard !== undefined) guarded += 1;
    }
  }
  const promptChanged = Math.min(missing, sources.count - used.size);
  if (tooLarge.size > 0) dropped['tooLarge'] = tooLarge.size;
  if (promptChanged > 0) dropped['promptChanged'] = promptChanged;
  if (missing > promptChanged) dropped['notRun'] = missing - promptChanged;
  const runs = kept.places.length - guarded;
  return { plan: reducePlan(base, kept, sources), runs, dropped, guarded };
}

/** What a run's figures add to its chain and its job. */
const OVERHEAD_BYTES = 16 * 1024;

function reducePlan(base: Plan, { places, sources }: Kept, stored: JudgedSources): Plan {
  const placeOf = (basePlace: number): number | undefined => {
    const index = firstAtLeast(places, basePlace);
    return places[index] === basePlace ? index : undefined;
  };
  const toReplay = (job: GenerationJob): GenerationJob | undefined => {
    const place = placeOf(job.place);
    const source = place === undefined ? undefined : sources[place];
    if (place === undefined || source === undefined) return undefined;
    const cases = job.cases.map((entry) => movedCase(entry, placeOf));
    return { ...withoutEmbeds(job), place, cases, runId: runIdOf(job), replay: stored.read(source) };
  };
  return {
    ...{ total: places.length, blockCount: base.blockCount, targets: base.targets },
    ...{ questionCount: base.questionCount, caseCount: base.caseCount },
    span: (block) => {
      const { first, size } = base.span(block);
      const from = firstAtLeast(places, first);
      return { first: from, size: firstAtLeast(places, first + size) - from };
    },
    block: (block) => base.block(block).flatMap((job) => toReplay(job) ?? []),
    job: (place) => {
      const basePlace = places[place];
      const job = basePlace === undefined ? undefined : toReplay(base.job(basePlace));
      if (!job) throw new RangeError(`place ${String(place)} of ${String(places.length)}`);
      return job;
    },
  };
}

/** Nothing is asked: what would be sent in the place of the messages is not needed. */
function withoutEmbeds(job: GenerationJob): GenerationJob {
  const { promptEmbeds, ...asked } = job;
  return promptEmbeds === undefined ? job : asked;
}

/** A case compares with the runs that are left. */
function movedCase(
  { clean, attacked, ...entry }: CaseEntry,
  placeOf: (basePlace: number) => number | undefined,
): CaseEntry {
  const [cleanPlace, attackedPlace] = [clean, attacked].map((place) =>
    place === undefined ? undefined : placeOf(place),
  );
  return {
    ...entry,
    ...(cleanPlace !== undefined && { clean: cleanPlace }),
    ...(attackedPlace !== undefined && { attacked: attackedPlace }),
  };
}

/** A monitored run that was replayed is no live one: another sweep must not take it for that. */
function runIdOf({ runId, guard }: GenerationJob): string {
  return guard === undefined ? runId : hashJson({ judgedAgain: runId }).slice(0, 32);
}

/** The first index whose value is at least `value`; the length when there is none. Values rise. */
function firstAtLeast(values: readonly number[], value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
