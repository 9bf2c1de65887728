import { problemOfRow } from '../../producers/chains/chain-row.ts';
import { wilson } from '../../shared/core/statistics/wilson.ts';
import type { RulesMonitor } from '../../workers/monitor/rules/rules-monitor.ts';
import {
  cutIntoSteps,
  isHealthy,
  stepsOf,
  type Demonstration,
  type LabelledChain,
  type Trace,
} from './rules-data.ts';
import { firstAlarm, injectionHits } from './rules-figures.ts';

/** First alarms of one rule on its own: those on an erroneous step, and all whose truth is known. */
export interface Precision {
  readonly right: number;
  readonly n: number;
}

/**
 * On labelled chains: right at the labelled step, wrong before it or on a clean chain. What lies behind the first error
 * is labelled neither way and left out.
 */
export function countOnLabelled(monitor: RulesMonitor, chains: readonly LabelledChain[]): Precision {
  let [right, n] = [0, 0];
  for (const chain of chains) {
    const at = firstAlarm(monitor, problemOfRow(chain), stepsOf(chain.steps))?.stepIndex;
    if (at === undefined || (chain.firstError !== null && at > chain.firstError)) continue;
    n += 1;
    if (at === chain.firstError) right += 1;
  }
  return { right, n };
}

/** On clean chains and as many with a backdoor step: one in two is attacked. */
export function countOnInserted(monitor: RulesMonitor, clean: readonly LabelledChain[]): Precision {
  const hits = injectionHits(monitor, clean, 'backdoor-anywhere', 'calibrate').count;
  const alarms = clean.filter((chain) => firstAlarm(monitor, problemOfRow(chain), stepsOf(chain.steps)));
  return { right: hits, n: hits + alarms.length };
}

/** On traces: right on one with a loop, wrong on a healthy one; the others are known neither way. */
export function countOnTraces(monitor: RulesMonitor, traces: readonly Trace[]): Precision {
  const known = traces.filter((trace) => trace.loop !== null || isHealthy(trace));
  const flagged = known.filter((trace) => {
    const steps = cutIntoSteps(trace.text);
    return firstAlarm(monitor, { query: trace.question, asksForSteps: true }, steps) !== undefined;
  });
  return { right: flagged.filter((trace) => trace.loop !== null).length, n: flagged.length };
}

/** On published demonstrations: right from the backdoor step on, wrong before it and on clean ones. */
export function countOnDemonstrations(
  monitor: RulesMonitor,
  demonstrations: readonly Demonstration[],
): Precision {
  let [right, n] = [0, 0];
  for (const { question, steps, at } of demonstrations) {
    const alarm = firstAlarm(monitor, { query: question, asksForSteps: true }, stepsOf(steps));
    if (alarm === undefined) continue;
    n += 1;
    if (at !== undefined && alarm.stepIndex >= at) right += 1;
  }
  return { right, n };
}

const sources = ['labelled', 'inserted', 'traces', 'demonstrations'] as const;
type Source = (typeof sources)[number];

export interface Calibrated extends Precision {
  readonly rule: string;
  /** (right + 1) / (n + 2); 1/2 where nothing was measured. */
  readonly value: number;
  readonly low: number;
  readonly source: Source | 'none';
}

/** Takes the source with the most alarms: labelled chains hold next to no backdoor steps and loops. */
export function precisionOf(rule: string, counts: Partial<Record<Source, Precision>>): Calibrated {
  const measured = sources.flatMap((source) => {
    const counted = counts[source];
    return counted === undefined || counted.n === 0 ? [] : [{ source, ...counted }];
  });
  const most = measured.sort((a, b) => b.n - a.n)[0] ?? { source: 'none' as const, right: 0, n: 0 };
  const { low } = wilson(most.right, most.n);
  return { rule, ...most, value: (most.right + 1) / (most.n + 2), low };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** The source text of `confidences.ts`. */
export function renderConfidences(calibrated: readonly Calibrated[], sets: readonly string[]): string {
  const row = ({ rule, value, low, right, n, source }: Calibrated): string =>
    `  ['${rule}', { value: ${round(value)}, low: ${round(low)}, right: ${right}, n: ${n}, source: '${source}' }],`;
  return `${header(sets)}
export const confidences: ReadonlyMap<string, Confidence> = new Map<string, Confidence>([
${calibrated.map(row).join('\n')}
]);
`;
}

function header(sets: readonly string[]): string {
  const names = sets.join(', ').replace(/(.{60,110}?) /g, '$1\n * ');
  return `/** How much a rule's alarm is worth, as measured. */
export interface Confidence {
  /** (right + 1) / (n + 2): the measured share, drawn towards 1/2 where alarms are few. */
  readonly value: number;
  /** Lower end of the Wilson 95% interval of right / n. */
  readonly low: number;
  readonly right: number;
  /** First alarms of the rule, alone, whose truth is known. */
  readonly n: number;
  /** \`none\`: no alarm on any data, so that the rule's own guess stands. */
  readonly source: 'labelled' | 'inserted' | 'traces' | 'demonstrations' | 'none';
}

/**
 * Precision of each rule's alarms. Written by \`npx tsx scripts/bench/calibrate-rules.ts\`; not edited by hand.
 *
 * \`labelled\`: first alarms at the labelled step over those there, before it, and on clean chains; \`inserted\`: clean
 * chains and as many with a backdoor step behind a random step; \`traces\`: with an exact loop, and healthy ones;
 * \`demonstrations\`: the published ones of BadChain, which the rule was written after. Where errors are rarer than in these sets, so are right alarms.
 *
 * Labelled sets: ${names}.
 * Inserted: into their clean chains and the worked solutions of gsm8k_test. Traces: mip_overthinking,
 * cot_overthinking_mmlu_pro, reasoning_attack_endless.
 */`;
}
