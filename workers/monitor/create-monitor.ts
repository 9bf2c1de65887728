import { type FlagType, flagTypes } from '../../shared/core/signatures/flag-types.ts';
import type { MonitorSpec } from '../../shared/schemas/sweep-spec.ts';
import type { ModelTools } from './llm/model-monitor.ts';
import { modelMonitorVersion } from './llm/model-version.ts';
import type { Monitor } from './monitor.ts';
import { createRulesMonitor, type RulesMonitor, rulesOf } from './rules/rules-monitor.ts';

/** The monitor that a spec's entry names. Client and tokenizer of models are loaded only for one that asks a model. */
export async function createBuiltInMonitor(spec: MonitorSpec, tools: ModelTools): Promise<Monitor> {
  if (spec.name === 'rules') return createRules(spec, tools.now);
  const { createModelMonitor } = await import('./llm/model-monitor.ts');
  const model = createModelMonitor(spec, tools);
  if (spec.name !== 'cascade') return model;
  const { createCascadeMonitor } = await import('./llm/cascade-monitor.ts');
  return createCascadeMonitor(createRules(spec, tools.now), model);
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
