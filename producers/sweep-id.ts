import { hashJson } from '../shared/hash.ts';
import type { SweepDataset } from '../shared/schemas/live-sweep.ts';
import { asksModel, type MonitorSpec, type SweepSpec } from '../shared/schemas/sweep-spec.ts';

/** Raised when equal specs would be planned in another order, or their runs asked otherwise, than before. */
export const PLAN_VERSION = 1;

export interface SweepIdInput {
  readonly spec: SweepSpec;
  readonly datasets: readonly SweepDataset[];
  /** Monitor id to the version of its code and prompts. */
  readonly monitorVersions: Readonly<Record<string, string>>;
  /** Makes a sweep of its own out of a spec that has been run. */
  readonly nonce?: string;
}

/**
 * A sweep's id: the spec's name and a hash of everything that orders the plan or enters its runs, data files included.
 * How fast and where a sweep runs is left out (addresses, limits, timeouts, concurrency, output), and so are labels:
 * changing those resumes the sweep.
 */
export function sweepIdOf({ spec, datasets, monitorVersions, nonce }: SweepIdInput): string {
  const hash = hashJson({
    plan: PLAN_VERSION,
    seed: spec.seed,
    repeat: spec.repeat,
    targets: spec.targets.map((target) => ({
      id: target.id,
      config: { ...target.config, apiBaseUrl: undefined, apiKeyEnv: undefined },
      reasoning: target.reasoning,
      think: target.think,
      harmony: target.harmony,
      decoding: target.decoding,
    })),
    // A module is known by its bytes too.
    attacks: spec.attacks.map((attack) => ({ ...attack, module: undefined })),
    // A data file is known by its bytes, wherever it lies.
    datasets: spec.datasets.map(({ id, limit }) => ({ id, limit })),
    data: datasets.map(({ id, sha256, extractor }) => ({ id, sha256, extractor })),
    monitors: spec.monitors.map((monitor) => ({
      ...withoutAddress(monitor),
      version: monitorVersions[monitor.id],
    })),
    arms: spec.arms,
    intervention: spec.intervention,
    fail: spec.fail,
    segmentation: spec.segmentation,
    monitor: { ...spec.monitor, chains: undefined, inFlight: undefined },
    nonce,
  });
  return `${spec.name}-${hash.slice(0, 12)}`;
}

/** A monitor without what may change while it stays the same: where its model is served, what it can take, where its prompt lies. */
export function withoutAddress(monitor: MonitorSpec): object {
  if (!asksModel(monitor)) return monitor;
  const config = { ...monitor.config, apiBaseUrl: undefined, apiKeyEnv: undefined };
  return { ...monitor, config, promptFile: undefined, limits: undefined };
}
