import type { TargetSpec } from '../../shared/schemas/sweep-spec.ts';
import type { Attack } from './attack.ts';

/**
 * Holds attacks that only one API can carry against all targets: each target is asked for every attack.
 *
 * @returns the path and the complaint of the first target that cannot be asked; undefined when all can
 */
export function findUnfitTarget(
  attacks: readonly { readonly id: string; readonly attack: Attack; readonly parameters: unknown }[],
  targets: readonly TargetSpec[],
): { readonly path: (string | number)[]; readonly complaint: string } | undefined {
  for (const { id, attack, parameters } of attacks) {
    const api = attack.neededApi?.(parameters);
    if (api === undefined) continue;
    const index = targets.findIndex(({ config }) => config.api !== api);
    const target = targets[index];
    if (target === undefined) continue;
    return {
      path: ['targets', index, 'config', 'api'],
      complaint: `got "${target.config.api}", expected "${api}", which alone can carry attack ${id}`,
    };
  }
  return undefined;
}
