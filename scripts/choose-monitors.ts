import { existsSync } from 'node:fs';
import { loadSpec } from '../producers/load-spec.ts';
import { readSecret } from '../shared/config.ts';
import { HaltlineError } from '../shared/errors.ts';
import {
  asksModel,
  type ModelPrices,
  type MonitorSpec,
  monitorSpecSchema,
} from '../shared/schemas/sweep-spec.ts';

export type Policy = 'precise' | 'sensitive';

export interface ChosenMonitors {
  readonly monitors: MonitorSpec[];
  /** Of the specs that they come from. */
  readonly prices: ModelPrices;
}

/**
 * The monitors that a command line names: `rules` (the built-in one that needs no model), or a sweep spec and one of its
 * monitors: `spec.yaml#id`, or `spec.yaml` where it has one only.
 *
 * @param policy - of the built-in rules; a spec's monitors have their own
 * @param own - monitors that are known by their ids alone
 * @throws HaltlineError CONFIG_INVALID, SPEC_INVALID, KEY_UNSET
 */
export async function chooseMonitors(
  names: readonly string[],
  {
    policy,
    env,
    own = [],
  }: {
    readonly policy: Policy;
    readonly env: NodeJS.ProcessEnv;
    readonly own?: readonly MonitorSpec[];
  },
): Promise<ChosenMonitors> {
  const monitors: MonitorSpec[] = [];
  let prices: ModelPrices = {};
  for (const name of names) {
    const known = own.find(({ id }) => id === name);
    const chosen = name === 'rules' ? builtInRules(policy) : known && withKey(name, known, env);
    const { monitor, prices: ofSpec } = chosen ? { monitor: chosen, prices: {} } : await fromSpec(name, env);
    prices = { ...prices, ...ofSpec };
    if (monitors.some(({ id }) => id === monitor.id))
      throw new HaltlineError('CONFIG_INVALID', `--monitor ${name}: two monitors with the id ${monitor.id}`);
    monitors.push(monitor);
  }
  return { monitors, prices };
}

/** A missing key is one line now, not a step without a verdict each. */
function withKey(name: string, monitor: MonitorSpec, env: NodeJS.ProcessEnv): MonitorSpec {
  if (!asksModel(monitor) || monitor.config.apiKeyEnv === undefined) return monitor;
  try {
    readSecret(env, monitor.config.apiKeyEnv);
    return monitor;
  } catch (cause) {
    if (!(cause instanceof HaltlineError)) throw cause;
    throw new HaltlineError(cause.code, `--monitor ${name}: ${cause.message}`, { cause });
  }
}

function builtInRules(policy: Policy): MonitorSpec {
  return monitorSpecSchema.parse({ id: 'rules', name: 'rules', policy });
}

async function fromSpec(
  name: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly monitor: MonitorSpec; readonly prices: ModelPrices }> {
  const hash = name.lastIndexOf('#');
  const [path, id] = hash < 0 ? [name, undefined] : [name.slice(0, hash), name.slice(hash + 1)];
  if (!existsSync(path)) {
    const expected = 'rules, or a sweep spec and the id of one of its monitors (spec.yaml#id)';
    throw new HaltlineError('CONFIG_INVALID', `--monitor ${name}: expected ${expected}`);
  }
  const { monitors, prices } = (await loadSpec(path, env)).spec;
  const chosen = id === undefined ? monitors : monitors.filter((monitor) => monitor.id === id);
  const [only] = chosen;
  if (only !== undefined && chosen.length === 1) return { monitor: only, prices };
  const ids = monitors.map((monitor) => `${path}#${monitor.id}`).join(', ');
  throw new HaltlineError('CONFIG_INVALID', `--monitor ${name}: expected one of ${ids || 'no monitor'}`);
}
