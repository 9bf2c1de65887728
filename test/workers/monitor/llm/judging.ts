import { onTestFinished } from 'vitest';
import { createSimulator, type SimulatorOptions } from '../../../../scripts/simulator/create-simulator.ts';
import { countTokens } from '../../../../shared/core/tokens.ts';
import type { MonitorUse } from '../../../../shared/schemas/run-result.ts';
import {
  asksModel,
  type ModelMonitorSpec,
  monitorSpecSchema,
} from '../../../../shared/schemas/sweep-spec.ts';
import type { Problem } from '../../../../shared/schemas/problem.ts';
import type { Channel, Step } from '../../../../shared/schemas/step.ts';
import type { Verdict } from '../../../../shared/schemas/verdict.ts';
import { createModelMonitor, type ModelTools } from '../../../../workers/monitor/llm/model-monitor.ts';
import { KnownFormats } from '../../../../workers/monitor/llm/reply-format.ts';
import { Slots } from '../../../../workers/monitor/slots.ts';
import { silentLog } from '../../../support/silent-log.ts';

export const problem: Problem = { query: 'What is 2 + 3?', asksForSteps: true };
export const noAbort = new AbortController().signal;

/** A simulator that ends with the test. */
export async function simulate(options: SimulatorOptions = {}) {
  const simulator = await createSimulator(options);
  onTestFinished(() => simulator.close());
  return simulator;
}

/** A spec of a monitor at an address, with defaults filled in. */
export function specAt(
  apiBaseUrl: string,
  changes: { config?: object } & Record<string, unknown> = {},
): ModelMonitorSpec {
  const { config, ...rest } = changes;
  const spec = monitorSpecSchema.parse({
    ...{ id: 'm', name: 'llm' },
    ...rest,
    config: { apiBaseUrl, model: 'sim-monitor', ...config },
  });
  if (!asksModel(spec)) throw new Error('expected a monitor that asks a model');
  return spec;
}

export function toolsWith(changes: Partial<ModelTools> = {}): ModelTools {
  return {
    ...{ env: {}, formats: new KnownFormats(), slots: new Slots(32), log: silentLog },
    now: () => performance.now(),
    ...changes,
  };
}

export function stepOf(text: string, index: number, channel: Channel = 'reasoning'): Step {
  return { index, channel, text, tokens: countTokens(text), endedAtMs: 0 };
}

/** Judges the steps of one chain one after the other; what was booked, in order. */
export async function judgeAll(
  spec: ModelMonitorSpec,
  texts: readonly string[],
  options: { tools?: ModelTools; problem?: Problem; signal?: AbortSignal } = {},
): Promise<{ verdicts: Verdict[]; uses: MonitorUse[] }> {
  const chain = createModelMonitor(spec, options.tools ?? toolsWith()).watch(options.problem ?? problem);
  const uses: MonitorUse[] = [];
  const verdicts: Verdict[] = [];
  for (const [index, text] of texts.entries()) {
    const context = { signal: options.signal ?? noAbort, book: (use: MonitorUse) => void uses.push(use) };
    verdicts.push(await chain.judge(stepOf(text, index), context));
  }
  return { verdicts, uses };
}

/** What a verdict comes to, in a word. */
export function gistOf(verdict: Verdict | undefined): string {
  if (!verdict) return 'none';
  return verdict.status === 'judged' ? verdict.errorType : verdict.reason;
}
