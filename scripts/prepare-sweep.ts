import { resolve } from 'node:path';
import { loadDatasets } from '../producers/load-datasets.ts';
import type { LoadedSpec } from '../producers/load-spec.ts';
import { createPlan, type Plan } from '../producers/plan-sweep.ts';
import { sweepIdOf } from '../producers/sweep-id.ts';
import { HaltlineError } from '../shared/errors.ts';
import { type LiveSweep, liveSweepSchema } from '../shared/schemas/live-sweep.ts';
import { MESSAGE_VERSION } from '../shared/schemas/job.ts';
import { monitorVersionOf } from '../workers/monitor/create-monitor.ts';
import { readVersion } from './package-root.ts';

export interface PreparedSweep {
  readonly sweep: LiveSweep;
  readonly plan: Plan;
}

/**
 * Makes a sweep of a spec: loads its data, plans it, names it. Nothing is started.
 *
 * @param options.limit - questions of each data set, at most
 * @param options.nonce - makes it another sweep than the spec's own
 * @throws HaltlineError DATA_MISSING, DATA_INVALID, SPEC_INVALID; the message begins with the spec's file
 */
export async function prepareSweep(
  loaded: LoadedSpec,
  options: { limit?: number | undefined; nonce?: string | undefined } = {},
): Promise<PreparedSweep> {
  try {
    return await prepare(loaded, options);
  } catch (cause) {
    if (!(cause instanceof HaltlineError)) throw cause;
    throw new HaltlineError(cause.code, `${loaded.file}: ${cause.message}`, { cause });
  }
}

async function prepare(
  loaded: LoadedSpec,
  { limit, nonce }: { limit?: number | undefined; nonce?: string | undefined },
): Promise<PreparedSweep> {
  const spec = limit === undefined ? loaded.spec : withLimit(loaded.spec, limit);
  const { datasets, records } = await loadDatasets(spec, loaded.folder);
  const monitorVersions = Object.fromEntries(
    spec.monitors.map((monitor) => [monitor.id, monitorVersionOf(monitor)]),
  );
  const id = sweepIdOf({
    spec,
    datasets: records,
    monitorVersions,
    ...(nonce === undefined ? {} : { nonce }),
  });
  const plan = createPlan({ sweep: id, spec, attacks: loaded.attacks, datasets, monitorVersions });
  const sweep = liveSweepSchema.parse({
    v: MESSAGE_VERSION,
    id,
    haltline: readVersion(),
    createdAtMs: Date.now(),
    spec,
    folder: resolve(loaded.folder),
    datasets: records,
    total: plan.total,
  });
  return { sweep, plan };
}

function withLimit(spec: LoadedSpec['spec'], limit: number): LoadedSpec['spec'] {
  const datasets = spec.datasets.map((dataset) => ({
    ...dataset,
    limit: Math.min(dataset.limit ?? limit, limit),
  }));
  return { ...spec, datasets };
}
