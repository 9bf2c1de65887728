import { HaltlineError } from '../shared/errors.ts';
import type { GenerationJob } from '../shared/schemas/job.ts';
import type { TargetSpec } from '../shared/schemas/sweep-spec.ts';
import type { PlanDataset } from './load-datasets.ts';
import {
  buildBlock,
  draftQuestion,
  type PlanQuestion,
  type PlanSettings,
  type QuestionDraft,
} from './plan-block.ts';

/**
 * More is refused. No text of a question is that long; prepared embeddings are (8 KiB a token at 4,096 half-precision
 * figures). What waits in Redis is bounded by `limits.windowBytes`, whatever a single job takes.
 */
export const MAX_JOB_BYTES = 4 * 1024 * 1024;
/** A place of as many digits as any can have: a job is measured before its place is known. */
const WIDEST_PLACE = 9_999_999_999;

export interface PlanInput extends PlanSettings {
  readonly datasets: readonly PlanDataset[];
}

/**
 * The runs of a sweep, in order: places 0 to `total` - 1. A block is one question × target × repeat; blocks stand repeat
 * by repeat, question by question, target by target, so the blocks of target `t` are those with `i % targets === t`.
 */
export interface Plan {
  readonly total: number;
  readonly blockCount: number;
  readonly questionCount: number;
  readonly caseCount: number;
  /** The target of every `targets.length`-th block. */
  readonly targets: readonly TargetSpec[];
  /** Where a block's runs stand: `size` places from `first` on. Nothing is rendered for it. */
  span(block: number): { first: number; size: number };
  /** The jobs of a block, in the order of their places. Made anew at each call: a plan holds no jobs. */
  block(block: number): GenerationJob[];
  /** The job at a place. @throws RangeError outside [0, total) */
  job(place: number): GenerationJob;
}

/**
 * Plans a sweep: pure, and the same for equal arguments. Every question is rendered once here, to learn how many runs
 * its blocks have and whether their jobs fit; repeats have blocks of the same sizes. Held in memory: the questions, and
 * one number for each.
 *
 * @throws HaltlineError SPEC_INVALID when there is no run at all; DATA_INVALID when a job would be over 4 MiB, with the
 *   question's id
 */
export function createPlan({ datasets, ...settings }: PlanInput): Plan {
  const { targets, repeat } = settings.spec;
  const questions = datasets.flatMap(({ id, extractor, questions: own }) =>
    own.map((question) => ({ question, dataset: id, extractor })),
  );
  const planned = questions.map((question, cluster) => ({ ...question, cluster }));
  const offsets = measureQuestions(settings, planned);
  const blocksPerRepeat = planned.length * targets.length;
  const perRepeat = (offsets.at(-1) ?? 0) * targets.length;
  const total = perRepeat * repeat;
  if (total === 0) throw new HaltlineError('SPEC_INVALID', sayNoRun(settings));

  const draftOf = rememberLast((question: PlanQuestion) => draftQuestion(settings, question));
  const locate = (block: number) => {
    const inRepeat = block % blocksPerRepeat;
    const repeats = Math.floor(block / blocksPerRepeat);
    const question = planned[Math.floor(inRepeat / targets.length)];
    const target = targets[inRepeat % targets.length];
    if (!question || !target || repeats >= repeat)
      throw new RangeError(`block ${String(block)} of ${String(blocksPerRepeat * repeat)}`);
    const before = offsets[question.cluster] ?? 0;
    const size = (offsets[question.cluster + 1] ?? 0) - before;
    const first = repeats * perRepeat + before * targets.length + size * (inRepeat % targets.length);
    return { question, target, repeat: repeats, first, size };
  };
  const block = (index: number): GenerationJob[] => {
    const { question, target, repeat: repeats, first } = locate(index);
    const position = { planned: question, target, repeat: repeats, firstPlace: first };
    return buildBlock(settings, draftOf(question), position);
  };
  return {
    total,
    blockCount: blocksPerRepeat * repeat,
    questionCount: planned.length,
    caseCount: blocksPerRepeat * repeat * settings.attacks.length,
    targets,
    span: (index) => {
      const { first, size } = locate(index);
      return { first, size };
    },
    block,
    job: (place) => {
      if (!Number.isInteger(place) || place < 0 || place >= total)
        throw new RangeError(`place ${String(place)} of ${String(total)}`);
      const inRepeat = place % perRepeat;
      const cluster = lastAtMost(offsets, Math.floor(inRepeat / targets.length));
      const repeats = Math.floor(place / perRepeat);
      const size = (offsets[cluster + 1] ?? 0) - (offsets[cluster] ?? 0);
      const target = Math.floor((inRepeat - (offsets[cluster] ?? 0) * targets.length) / size);
      const index = repeats * blocksPerRepeat + cluster * targets.length + target;
      const job = block(index)[place - locate(index).first];
      if (!job) throw new RangeError(`place ${String(place)} of ${String(total)}`);
      return job;
    },
  };
}

function sayNoRun({ spec }: PlanSettings): string {
  const needs = spec.arms.map((arm) =>
    arm === 'control' ? 'control needs an attack that has one (badchain)' : `${arm} needs a monitor`,
  );
  return `arms: got ${spec.arms.join(', ')}, which plan no run: ${needs.join('; ')}`;
}

/** Prefix sums: the runs of one target and repeat before question `i`; one entry more than there are questions. */
function measureQuestions(settings: PlanSettings, planned: readonly PlanQuestion[]): Float64Array {
  const offsets = new Float64Array(planned.length + 1);
  for (const question of planned) {
    const draft = draftQuestion(settings, question);
    offsets[question.cluster + 1] = (offsets[question.cluster] ?? 0) + draft.keys.length;
    for (const target of settings.spec.targets) checkJobSizes(settings, { question, draft, target });
  }
  return offsets;
}

function checkJobSizes(
  settings: PlanSettings,
  { question, draft, target }: { question: PlanQuestion; draft: QuestionDraft; target: TargetSpec },
): void {
  // Measuring means building; most jobs are so small that their texts alone show it.
  const rough = draft.arms.reduce(
    (bytes, arm) => Math.max(bytes, JSON.stringify([arm.messages, arm.promptEmbeds, arm.guard]).length),
    0,
  );
  const own = JSON.stringify([question.question, target]).length;
  if ((rough + own + draft.arms.length * 2000) * 3 < MAX_JOB_BYTES) return;
  const widest = { planned: question, target, repeat: settings.spec.repeat - 1, firstPlace: WIDEST_PLACE };
  for (const job of buildBlock(settings, draft, widest)) {
    const bytes = jobBytes(job);
    if (bytes <= MAX_JOB_BYTES) continue;
    throw new HaltlineError(
      'DATA_INVALID',
      `question ${question.question.id} of data set ${question.dataset}: its job for target ${target.id} would take ` +
        `${String(bytes)} bytes, expected at most ${String(MAX_JOB_BYTES)}`,
    );
  }
}

/** What a job takes on the wire, in bytes. */
export function jobBytes(job: GenerationJob): number {
  return Buffer.byteLength(JSON.stringify(job));
}

/** The blocks of a question follow each other: its rendering is kept until the next question's. */
function rememberLast<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  let last: { key: Key; value: Value } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: make(key) };
    return last.value;
  };
}

/** The last index whose value is at most `value`; values rise. Questions without a run share their successor's value. */
function lastAtMost(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((values[middle] ?? Infinity) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
