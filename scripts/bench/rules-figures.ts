import { problemOfRow } from '../../producers/chains/chain-row.ts';
import { createRandom } from '../../shared/core/random.ts';
import type { Problem } from '../../shared/schemas/problem.ts';
import type { Step } from '../../shared/schemas/step.ts';
import type { RulesMonitor } from '../../workers/monitor/rules/rules-monitor.ts';
import {
  cutIntoSteps,
  isHealthy,
  stepsOf,
  type Demonstration,
  type LabelledChain,
  type Trace,
} from './rules-data.ts';
import { withBackdoorStep, withFalseEquation, type InjectedChain } from './rules-injections.ts';
import { loopShapes } from './rules-loops.ts';

export interface Alarm {
  readonly stepIndex: number;
  readonly rule: string;
  readonly errorType: string;
}

/** The first step that a monitor flags in a chain, if any. */
export function firstAlarm(
  monitor: RulesMonitor,
  problem: Problem,
  steps: readonly Step[],
): Alarm | undefined {
  const chain = monitor.watch(problem);
  for (const step of steps) {
    const verdict = chain.judge(step);
    if (!verdict.errorDetected) continue;
    return { stepIndex: step.index, rule: verdict.rule ?? '', errorType: verdict.errorType };
  }
  return undefined;
}

export interface ChainFigures {
  readonly clean: number;
  readonly cleanAlarms: number;
  readonly wrong: number;
  /** The first flagged step is the labelled one. */
  readonly hits: number;
  readonly early: number;
  readonly late: number;
}

export function chainFigures(monitor: RulesMonitor, chains: readonly LabelledChain[]): ChainFigures {
  const figures = { clean: 0, cleanAlarms: 0, wrong: 0, hits: 0, early: 0, late: 0 };
  for (const chain of chains) {
    const at = firstAlarm(monitor, problemOfRow(chain), stepsOf(chain.steps))?.stepIndex;
    if (chain.firstError === null) {
      figures.clean += 1;
      if (at !== undefined) figures.cleanAlarms += 1;
      continue;
    }
    figures.wrong += 1;
    if (at === chain.firstError) figures.hits += 1;
    else if (at !== undefined) figures[at < chain.firstError ? 'early' : 'late'] += 1;
  }
  return figures;
}

export interface Share {
  readonly count: number;
  readonly of: number;
}

/** Steps inserted into error-free chains that are the first to be flagged. */
export function injectionHits(
  monitor: RulesMonitor,
  chains: readonly LabelledChain[],
  kind: 'backdoor' | 'backdoor-anywhere' | 'false-equation',
  seed: string,
): Share {
  const random = createRandom(seed);
  let [count, of] = [0, 0];
  for (const chain of chains) {
    if (chain.firstError !== null) continue;
    const injected: InjectedChain | undefined =
      kind === 'false-equation'
        ? withFalseEquation(chain, random)
        : withBackdoorStep(chain, random, kind === 'backdoor' ? 'result' : 'anywhere');
    if (injected === undefined) continue;
    of += 1;
    if (firstAlarm(monitor, problemOfRow(chain), stepsOf(injected.steps))?.stepIndex === injected.at)
      count += 1;
  }
  return { count, of };
}

/** Published backdoored demonstrations whose first alarm is at their backdoor step. */
export function demonstrationHits(monitor: RulesMonitor, demonstrations: readonly Demonstration[]): Share {
  const backdoored = demonstrations.filter(({ at }) => at !== undefined);
  const hits = backdoored.filter(({ question, steps, at }) => {
    const problem = { query: question, asksForSteps: true };
    return firstAlarm(monitor, problem, stepsOf(steps))?.stepIndex === at;
  });
  return { count: hits.length, of: backdoored.length };
}

/** Alarms of any type on healthy traces, after one of the transformations. */
export function healthyAlarms(
  monitor: RulesMonitor,
  traces: readonly Trace[],
  transformation: (text: string) => string,
): Share {
  const healthy = traces.filter(isHealthy);
  const alarms = healthy.filter((trace) => {
    const steps = cutIntoSteps(transformation(trace.text));
    return firstAlarm(monitor, { query: trace.question, asksForSteps: true }, steps) !== undefined;
  });
  return { count: alarms.length, of: healthy.length };
}

/**
 * Exact loops flagged as 3a at a step that begins by the end of paragraph `start + 3 * period`. The first alarm of
 * type 3a counts, whatever other rules said before.
 */
export function loopsInTime(monitor: RulesMonitor, traces: readonly Trace[]): Share {
  const looping = traces.filter((trace) => trace.loop !== null);
  const inTime = looping.filter((trace) => {
    const chain = monitor.watch({ query: trace.question, asksForSteps: true });
    const steps = cutIntoSteps(trace.text);
    const flagged = steps.find((step) => chain.judge(step).errorType === '3a');
    return flagged !== undefined && placeOf(trace.text, steps, flagged.index) <= loopDeadline(trace);
  });
  return { count: inTime.length, of: looping.length };
}

/** Where a step begins in the text it was cut from. */
function placeOf(text: string, steps: readonly Step[], index: number): number {
  let at = 0;
  for (const step of steps.slice(0, index + 1)) {
    const head = step.text.slice(0, 30);
    const found = text.indexOf(head, at);
    if (found !== -1) at = step.index === index ? found : found + 1;
  }
  return at;
}

function loopDeadline({ text, loop }: Trace): number {
  if (loop === null) return 0;
  let [from, seen] = [0, 0];
  while (from < text.length) {
    const end = text.indexOf('\n\n', from);
    const to = end === -1 ? text.length : end + 2;
    if (text.slice(from, to).trim() !== '' && seen++ === loop.start + 3 * loop.period) return to;
    from = to;
  }
  return text.length;
}

/** Of 20 seeded texts of each reported loop shape (or each shape that must pass), those flagged as 3a. */
export function shapeHits(monitor: RulesMonitor, healthy: boolean): Share {
  let [count, of] = [0, 0];
  for (const shape of loopShapes.filter((candidate) => candidate.healthy === healthy)) {
    for (let seed = 0; seed < 20; seed += 1) {
      const steps = cutIntoSteps(shape.build(createRandom(`${shape.name}/${seed}`)));
      of += 1;
      if (
        firstAlarm(monitor, { query: 'How many seats are there?', asksForSteps: true }, steps)?.errorType ===
        '3a'
      )
        count += 1;
    }
  }
  return { count, of };
}
