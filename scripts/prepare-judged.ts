import { resolve } from 'node:path';
import { createJudgedPlan } from '../producers/chains/plan-judged.ts';
import { loadDatasets } from '../producers/load-datasets.ts';
import { loadStoredSpec } from '../producers/load-spec.ts';
import { createPlan } from '../producers/plan-sweep.ts';
import { sweepIdOf } from '../producers/sweep-id.ts';
import { recordedTarget } from '../shared/core/recorded-target.ts';
import { describeCounts } from '../shared/core/report/cells.ts';
import { HaltlineError } from '../shared/errors.ts';
import { hashJson } from '../shared/hash.ts';
import { type Arm, isGuarded } from '../shared/schemas/arm.ts';
import { MESSAGE_VERSION } from '../shared/schemas/job.ts';
import { liveSweepSchema, type SweepDataset } from '../shared/schemas/live-sweep.ts';
import { asksModel, type SweepSpec, sweepSpecSchema, type TargetSpec } from '../shared/schemas/sweep-spec.ts';
import { openStoredRuns } from '../workers/metrics/stored-runs.ts';
import { monitorVersionOf } from '../workers/monitor/create-monitor.ts';
import type { ChosenMonitors } from './choose-monitors.ts';
import type { JudgedFolder } from './judged-folder.ts';
import { readVersion } from './package-root.ts';
import { MODEL_CONCURRENCY, PATIENCE_MS, REPLAY_CONCURRENCY } from './prepare-replay.ts';
import type { PreparedSweep } from './prepare-sweep.ts';

export interface PreparedJudging extends PreparedSweep {
  /** Runs whose chains are judged again, and runs of monitored arms that come of them. */
  readonly runs: number;
  readonly guarded: number;
  readonly dropped: Readonly<Record<string, number>>;
}

/**
 * Makes a sweep of the stored chains of another: the plan of its spec with these monitors, each run a replay of what is
 * stored. Prompts are rendered again, from the data that the sweep was run with, so that a monitor sees of a problem what
 * it would have seen live. Nothing is started, and nothing ever asked of a target.
 *
 * @param specDir - what relative paths of the spec start from; default: what they started from when the sweep ran
 * @throws HaltlineError DATA_MISSING, DATA_INVALID, SPEC_INVALID
 */
export async function prepareJudged(
  { dir, file }: JudgedFolder,
  { monitors, prices }: ChosenMonitors,
  specDir: string | undefined,
): Promise<PreparedJudging> {
  const spec = judgedSpec(file.spec, { monitors, prices });
  if (specDir === undefined) refuseModules(dir, spec);
  const folder = resolve(specDir ?? file.folder ?? '.');
  const name = `${dir}/sweep.json`;
  const { attacks } = await loadStoredSpec(name, spec, folder);
  const { datasets, records } = await loadDatasets(spec, folder).catch((cause: unknown) => {
    if (!(cause instanceof HaltlineError)) throw cause;
    throw new HaltlineError(cause.code, `${cause.message} (${SPEC_DIR_HINT})`, { cause });
  });
  checkData(dir, file.datasets, records);
  const stored = await openStoredRuns(dir, file.id);
  const monitorVersions = Object.fromEntries(
    monitors.map((monitor) => [monitor.id, monitorVersionOf(monitor)]),
  );
  const nonce = hashJson({ judged: file.id, runs: stored.fingerprint });
  const id = sweepIdOf({ spec, datasets: records, monitorVersions, nonce });
  const base = createPlan({ sweep: id, spec, attacks, datasets, monitorVersions });
  const { plan, runs, dropped, guarded } = createJudgedPlan(base, stored);
  if (guarded === 0) {
    const why = describeCounts(dropped) || 'it has no run of the arms attacked and clean';
    throw new HaltlineError('DATA_MISSING', `no chain in ${dir} can be judged again: ${why}`);
  }
  const sweep = liveSweepSchema.parse({
    v: MESSAGE_VERSION,
    ...{ id, haltline: readVersion(), createdAtMs: Date.now(), spec, folder, datasets: records },
    replayed: { sweep: file.id, runs, dropped },
    total: plan.total,
  });
  return { sweep, plan, runs, guarded, dropped };
}

const SPEC_DIR_HINT = '--spec-dir names the folder that paths of the spec start from';

/** The arms that are stored, and for each of those that a monitor may watch the monitored one. */
function judgedArms(arms: readonly Arm[]): Arm[] {
  return [
    ...arms.filter((arm) => !isGuarded(arm)),
    ...(arms.includes('attacked') ? (['guarded'] as const) : []),
    ...(arms.includes('clean') ? (['guarded-clean'] as const) : []),
  ];
}

/** The sweep's spec with these monitors. Its caps are on what targets cost: they do not hold here. */
function judgedSpec(spec: SweepSpec, { monitors, prices }: ChosenMonitors): SweepSpec {
  const arms = judgedArms(spec.arms);
  if (!arms.some(isGuarded)) {
    throw new HaltlineError(
      'DATA_MISSING',
      'the sweep has neither the arm attacked nor clean: nothing to judge',
    );
  }
  const { epochs, attempts, windowJobs, windowBytes, backlogBytes } = spec.limits;
  const concurrency = monitors.some(asksModel) ? MODEL_CONCURRENCY : REPLAY_CONCURRENCY;
  return sweepSpecSchema.parse({
    ...spec,
    name: `${spec.name}.judged-by-${monitors.map(({ id }) => id).join('-')}`.slice(0, 63),
    description: `The chains of ${spec.name}, judged again`,
    targets: spec.targets.map((target) => neverAsked(target, concurrency)),
    ...{ monitors, arms, prices: { ...spec.prices, ...prices } },
    limits: { epochs, attempts, windowJobs, windowBytes, backlogBytes },
    // All steps of a chain are there at once: the last waits for the judgements of all others.
    monitor: { ...spec.monitor, attachTimeoutMs: PATIENCE_MS, stepTimeoutMs: PATIENCE_MS },
  });
}

/** The target without its address: whatever happens, nobody can ask it. */
function neverAsked(target: TargetSpec, concurrency: number): TargetSpec {
  const { apiBaseUrl } = recordedTarget.config;
  return { ...target, concurrency, config: { ...target.config, apiBaseUrl } };
}

/** A folder may come from somebody else: its word alone makes no code run. */
function refuseModules(dir: string, { attacks }: SweepSpec): void {
  const own = attacks.find(({ module }) => module !== undefined);
  if (own === undefined) return;
  throw new HaltlineError(
    'SPEC_INVALID',
    `${dir}/sweep.json: attack ${own.id} is a module (${own.module ?? ''}), whose code renders the prompts again; ` +
      SPEC_DIR_HINT,
  );
}

/** Other data would be other questions. */
function checkData(dir: string, before: readonly SweepDataset[], now: readonly SweepDataset[]): void {
  for (const { id, sha256 } of now) {
    const known = before.find((dataset) => dataset.id === id);
    if (known?.sha256 === sha256) continue;
    throw new HaltlineError(
      'DATA_INVALID',
      `data set ${id}: its file is not the one that the sweep in ${dir} was run with (SHA-256 ${sha256}, expected ` +
        `${known?.sha256 ?? 'none'})`,
    );
  }
}
