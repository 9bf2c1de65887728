import { createReplayPlan, noAttack } from '../producers/chains/plan-replay.ts';
import type { ChainFiles } from '../producers/chains/open-chain-files.ts';
import { recordedTarget } from '../shared/core/recorded-target.ts';
import { hashJson } from '../shared/hash.ts';
import { MESSAGE_VERSION } from '../shared/schemas/job.ts';
import { type LiveSweep, liveSweepSchema } from '../shared/schemas/live-sweep.ts';
import {
  asksModel,
  type ModelPrices,
  type MonitorSpec,
  type SweepSpec,
  sweepSpecSchema,
} from '../shared/schemas/sweep-spec.ts';
import { monitorVersionOf } from '../workers/monitor/create-monitor.ts';
import { readVersion } from './package-root.ts';
import type { PreparedSweep } from './prepare-sweep.ts';

/** Runs at once. Many, since each only waits for its verdicts; more would each wait so long that they read the truth. */
export const REPLAY_CONCURRENCY = 100;
/** What a worker watches at once where a monitor asks a model: more would wait unwatched. */
export const MODEL_CONCURRENCY = 32;
/** All steps of a chain are there at once: the last one waits for the judgements of all others. */
export const PATIENCE_MS = 6 * 3_600_000;

export interface ReplayOptions {
  readonly chains: ChainFiles;
  readonly monitors: readonly MonitorSpec[];
  /** Of the models that they ask. */
  readonly prices: ModelPrices;
  /** Each replay is a sweep of its own: what it measures is this one run of it. */
  readonly nonce: string;
}

/** Makes a sweep of labelled chains: target `recorded`, attack `none`, arm `guarded`, intervention `flag`. */
export function prepareReplay({ chains, monitors, prices, nonce }: ReplayOptions): PreparedSweep {
  const spec = replaySpec(chains, monitors, prices);
  const monitorVersions = Object.fromEntries(
    monitors.map((monitor) => [monitor.id, monitorVersionOf(monitor)]),
  );
  const id = `${spec.name}-${hashJson({ spec, monitorVersions, nonce }).slice(0, 12)}`;
  const plan = createReplayPlan({ sweep: id, spec, chains, monitorVersions });
  const sweep: LiveSweep = liveSweepSchema.parse({
    v: MESSAGE_VERSION,
    ...{ id, haltline: readVersion(), createdAtMs: Date.now(), spec },
    ...{ datasets: chains.records, total: plan.total },
  });
  return { sweep, plan };
}

function replaySpec(
  { labels }: ChainFiles,
  monitors: readonly MonitorSpec[],
  prices: ModelPrices,
): SweepSpec {
  const concurrency = monitors.some(asksModel) ? MODEL_CONCURRENCY : REPLAY_CONCURRENCY;
  return sweepSpecSchema.parse({
    name: 'chains',
    description: 'Recorded chains, judged as live ones are',
    targets: [{ ...recordedTarget, reasoning: 'none', concurrency }],
    attacks: [noAttack],
    datasets: [...new Set(labels.map(({ dataset }) => dataset))].map((id) => ({ id })),
    ...{ monitors, prices },
    arms: ['guarded'],
    intervention: 'flag',
    monitor: { stepTimeoutMs: PATIENCE_MS, attachTimeoutMs: PATIENCE_MS },
  });
}
