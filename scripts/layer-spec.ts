import { hint } from '../producers/explain-issue.ts';
import type { LoadedSpec } from '../producers/load-spec.ts';
import { HaltlineError } from '../shared/errors.ts';

/** What flags (and their variables) say over the file. */
export interface SpecLayer {
  readonly seed?: number;
  readonly repeat?: number;
  readonly concurrency?: number;
  readonly filterAttack?: readonly string[];
  readonly filterTarget?: readonly string[];
  readonly filterDataset?: readonly string[];
}

/**
 * A loaded spec with flags laid over it: a sweep of its own, whose id follows from the result. A flag that is left out
 * changes nothing.
 *
 * @throws HaltlineError CONFIG_INVALID when a filter names an id that the spec does not have
 */
export function layerSpec(loaded: LoadedSpec, layer: SpecLayer): LoadedSpec {
  const { spec } = loaded;
  const { seed = spec.seed, repeat = spec.repeat, concurrency } = layer;
  const targets = taken('target', spec.targets, layer.filterTarget).map((target) =>
    concurrency === undefined ? target : { ...target, concurrency },
  );
  const attacks = taken('attack', spec.attacks, layer.filterAttack);
  const datasets = taken('dataset', spec.datasets, layer.filterDataset);
  const isTaken = ({ id }: { id: string }): boolean => attacks.some((attack) => attack.id === id);
  return {
    ...loaded,
    attacks: loaded.attacks.filter(isTaken),
    spec: { ...spec, seed, repeat, targets, attacks, datasets },
  };
}

/** The entries of the ids, in the order of the spec. */
function taken<Entry extends { readonly id: string }>(
  kind: string,
  entries: readonly Entry[],
  ids: readonly string[] | undefined,
): Entry[] {
  if (ids === undefined) return [...entries];
  const known = entries.map(({ id }) => id);
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown === undefined) return entries.filter(({ id }) => ids.includes(id));
  throw new HaltlineError(
    'CONFIG_INVALID',
    `--filter-${kind}: got ${JSON.stringify(unknown)}, expected ${hint(unknown, known)}`,
  );
}
