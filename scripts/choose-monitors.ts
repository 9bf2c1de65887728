import { existsSync } from 'node:fs';
import { loadSpec } from '../producers/load-spec.ts';
import { HaltlineError } from '../shared/errors.ts';
import { type MonitorSpec, monitorSpecSchema } from '../shared/schemas/sweep-spec.ts';

export type Policy = 'precise' | 'sensitive';

/**
 * The monitors that a command line names: `rules` (the built-in one that needs no model), or a sweep spec and one of its
 * monitors: `spec.yaml#id`, or `spec.yaml` where it has one only.
 *
 * @param policy - of the built-in rules; a spec's monitors have their own
 * @throws HaltlineError CONFIG_INVALID, SPEC_INVALID, KEY_UNSET
 */
export async function chooseMonitors(
  names: readonly string[],
  { policy, env }: { readonly policy: Policy; readonly env: NodeJS.ProcessEnv },
): Promise<MonitorSpec[]> {
  const monitors: MonitorSpec[] = [];
  for (const name of names) {
    const monitor = name === 'rules' ? builtInRules(policy) : await fromSpec(name, env);
    if (monitors.some(({ id }) => id === monitor.id))
      throw new HaltlineError('CONFIG_INVALID', `--monitor ${name}: two monitors with the id ${monitor.id}`);
    monitors.push(monitor);
  }
  return monitors;
}

function builtInRules(policy: Policy): MonitorSpec {
  return monitorSpecSchema.parse({ id: 'rules', name: 'rules', policy });
}

async function fromSpec(name: string, env: NodeJS.ProcessEnv): Promise<MonitorSpec> {
  const hash = name.lastIndexOf('#');
  const [path, id] = hash < 0 ? [name, undefined] : [name.slice(0, hash), name.slice(hash + 1)];
  if (!existsSync(path)) {
    const expected = 'rules, or a sweep spec and the id of one of its monitors (spec.yaml#id)';
    throw new HaltlineError('CONFIG_INVALID', `--monitor ${name}: expected ${expected}`);
  }
  const { monitors } = (await loadSpec(path, env)).spec;
  const chosen = id === undefined ? monitors : monitors.filter((monitor) => monitor.id === id);
  const [only] = chosen;
  if (only !== undefined && chosen.length === 1) return only;
  const ids = monitors.map((monitor) => `${path}#${monitor.id}`).join(', ');
  throw new HaltlineError('CONFIG_INVALID', `--monitor ${name}: expected one of ${ids || 'no monitor'}`);
}
