import { recordedTarget } from '../../shared/core/recorded-target.ts';
import { hashJson } from '../../shared/hash.ts';
import { type GenerationJob, MESSAGE_VERSION } from '../../shared/schemas/job.ts';
import type { MonitorSpec, SweepSpec, TargetSpec } from '../../shared/schemas/sweep-spec.ts';
import type { Plan } from '../plan-sweep.ts';
import { withoutAddress } from '../sweep-id.ts';
import { type ChainRow, problemOfRow } from './chain-row.ts';
import type { ChainFiles } from './open-chain-files.ts';

/** The attack of recorded chains: there is none. */
export const noAttack = 'none';

export interface ReplayPlanInput {
  readonly sweep: string;
  /** Its only target is the recorded one. */
  readonly spec: SweepSpec;
  readonly chains: ChainFiles;
  /** Monitor id to the version of its code and prompts. */
  readonly monitorVersions: Readonly<Record<string, string>>;
}

/**
 * Plans recorded chains as runs: a block is a chain, with a run for each monitor in the order of the spec. So the run at
 * place `p` is of chain `floor(p / monitors)`. Rows are read when their block is asked for.
 */
export function createReplayPlan(input: ReplayPlanInput): Plan {
  const { spec, chains } = input;
  const size = spec.monitors.length;
  const count = chains.labels.length;
  const span = (block: number) => ({ first: block * size, size });
  const block = (index: number): GenerationJob[] => {
    const row = chains.read(index);
    return spec.monitors.map((monitor, place) =>
      buildReplayJob(input, { row, monitor, chain: index, place: index * size + place }),
    );
  };
  return {
    ...{ total: count * size, blockCount: count, questionCount: count, caseCount: count },
    targets: spec.targets,
    span,
    block,
    job: (place) => {
      const job = block(Math.floor(place / size))[place % size];
      if (!job) throw new RangeError(`place ${String(place)} of ${String(count * size)}`);
      return job;
    },
  };
}

interface ReplayJobInput {
  readonly row: ChainRow;
  readonly monitor: MonitorSpec;
  readonly chain: number;
  readonly place: number;
}

function buildReplayJob(
  { sweep, spec, chains, monitorVersions }: ReplayPlanInput,
  { row, monitor, chain, place }: ReplayJobInput,
): GenerationJob {
  const problem = problemOfRow(row);
  const { query, context } = problem;
  const guard = { monitor: monitor.id, version: monitorVersions[monitor.id] ?? '', problem };
  const replay = { steps: row.steps };
  const asked = { ...guard, monitor: withoutAddress(monitor), intervention: spec.intervention };
  return {
    v: MESSAGE_VERSION,
    sweep,
    place,
    runId: hashJson({ target: recordedTarget.id, replay, guard: asked, fail: spec.fail }).slice(0, 32),
    target: recordedTarget.id,
    messages: [{ role: 'user', content: context === undefined ? query : `${context}\n\n${query}` }],
    decoding: decodingOf(spec.targets),
    ...{ seed: 0, repeat: 0, questionId: row.id, dataset: row.dataset },
    // Nothing is scored by its answer.
    ...{ extractor: 'math', gold: '' },
    cases: [
      {
        caseId: [noAttack, recordedTarget.id, row.dataset, row.id, '0'].join('/'),
        ...{ attack: noAttack, dataset: row.dataset, arm: 'guarded' },
        cluster: chains.labels[chain]?.cluster ?? chain,
      },
    ],
    replay,
    guard,
  };
}

function decodingOf([target]: readonly TargetSpec[]): TargetSpec['decoding'] {
  if (!target) throw new Error('a replay without its recorded target');
  return target.decoding;
}
