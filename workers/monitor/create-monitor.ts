import type { MonitorSpec } from '../../shared/schemas/sweep-spec.ts';
import type { Monitor } from './monitor.ts';
import { createRulesMonitor } from './rules/rules-monitor.ts';

const makers = {
  rules: (spec) => createRulesMonitor({ policy: spec.policy, now: () => performance.now() }),
} satisfies Record<MonitorSpec['name'], (spec: MonitorSpec) => Monitor>;

/** The monitor that a spec's entry names. */
export function createBuiltInMonitor(spec: MonitorSpec): Monitor {
  return makers[spec.name](spec);
}
