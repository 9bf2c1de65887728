import { type FlagType, flagTypes } from '../../shared/core/signatures/flag-types.ts';
import type { MonitorSpec } from '../../shared/schemas/sweep-spec.ts';
import { createCascadeMonitor } from './llm/cascade-monitor.ts';
import { createModelMonitor, modelMonitorVersion, type ModelTools } from './llm/model-monitor.ts';
import type { Monitor } from './monitor.ts';
import { createRulesMonitor, type RulesMonitor, rulesOf } from './rules/rules-monitor.ts';

/** The monitor that a spec's entry names. */
export function createBuiltInMonitor(spec: MonitorSpec, tools: ModelTools): Monitor {
  switch (spec.name) {
    case 'rules':
      return createRules(spec, tools.now);
    case 'llm':
    case 'vanilla':
      return createModelMonitor(spec, tools);
    case 'cascade':
      return createCascadeMonitor(createRules(spec, tools.now), createModelMonitor(spec, tools));
  }
}

/** The version of that monitor's code and prompts, for the plan: nothing is connected to. */
export function monitorVersionOf(spec: MonitorSpec): string {
  switch (spec.name) {
    case 'rules':
      return createRules(spec).version;
    case 'llm':
    case 'vanilla':
      return modelMonitorVersion(spec);
    case 'cascade':
      return `cascade(${createRules(spec).version},${modelMonitorVersion(spec)})`;
  }
}

/** What a monitor can call a flagged step at all, in the order of the taxonomy. */
export function flagTypesOf(spec: MonitorSpec): readonly FlagType[] {
  switch (spec.name) {
    case 'rules': {
      const codes = new Set<FlagType>(rulesOf(spec.policy).flatMap((rule) => rule.codes));
      return flagTypes.filter((type) => codes.has(type));
    }
    case 'vanilla':
      // It is not asked for a type.
      return ['UNKNOWN'];
    case 'llm':
    case 'cascade':
      return flagTypes;
  }
}

function createRules(
  { policy }: Extract<MonitorSpec, { policy: unknown }>,
  now?: () => number,
): RulesMonitor {
  return createRulesMonitor({ policy, ...(now && { now }) });
}
