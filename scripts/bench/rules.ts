/**
 * Measures the `rules` monitor on real chains: `npx tsx scripts/bench/rules.ts [precise|sensitive]`.
 * Prints alarms on clean chains, hits by set, what each rule adds, and times. Needs the evaluation data beside the
 * project (or HALTLINE_DATA_DIR); without it, it says so and prints the figures that need none.
 */
import { createRulesMonitor, rulesOf } from '../../workers/monitor/rules/rules-monitor.ts';
import type { Policy } from '../../workers/monitor/rules/rule.ts';
import { findDataDirectory, loadChains, loadTraces, type LabelledChain, type Trace } from './rules-data.ts';
import {
  chainFigures,
  healthyAlarms,
  injectionHits,
  loopsInTime,
  shapeHits,
  type Share,
} from './rules-figures.ts';
import { transformations } from './rules-loops.ts';
import { growth, slowestHostileStep, stepTimes, traceTimePerKib } from './rules-times.ts';

const policy: Policy = process.argv[2] === 'sensitive' ? 'sensitive' : 'precise';
const monitor = createRulesMonitor({ policy });
const without = (name: string): ReturnType<typeof createRulesMonitor> =>
  createRulesMonitor({ policy, rules: rulesOf(policy).filter((rule) => rule.name !== name) });
const isCleanSet = (name: string): boolean =>
  name.startsWith('processbench') || name === 'prmbench_original_correct';
const print = (...cells: readonly string[]): void =>
  console.log(cells.map((cell, i) => cell.padEnd(i === 0 ? 44 : 16)).join(''));
const share = ({ count, of }: Share): string =>
  `${count}/${of} (${of === 0 ? '-' : ((100 * count) / of).toFixed(1)}%)`;

function printChains(sets: ReadonlyMap<string, readonly LabelledChain[]>): void {
  print('set', 'clean alarms', 'hits', 'early', 'late');
  for (const [name, chains] of sets) {
    const { clean, cleanAlarms, wrong, hits, early, late } = chainFigures(monitor, chains);
    print(
      name,
      share({ count: cleanAlarms, of: clean }),
      share({ count: hits, of: wrong }),
      String(early),
      String(late),
    );
  }
}

function printInjections(sets: ReadonlyMap<string, readonly LabelledChain[]>): void {
  print('\ninserted into error-free chains', 'backdoor step', 'false equation');
  for (const [name, chains] of sets) {
    if (!isCleanSet(name) && name !== 'roscoe_gsm8k') continue;
    print(
      name,
      share(injectionHits(monitor, chains, 'backdoor', name)),
      share(injectionHits(monitor, chains, 'false-equation', name)),
    );
  }
}

function printTraces(traces: readonly Trace[]): void {
  print('\ntraces', 'alarms');
  print('exact loops flagged in time', share(loopsInTime(monitor, traces)));
  for (const { name, apply } of transformations)
    print(`healthy, ${name}`, share(healthyAlarms(monitor, traces, apply)));
}

function printAblation(sets: ReadonlyMap<string, readonly LabelledChain[]>, traces: readonly Trace[]): void {
  const chains = [...sets.values()].flat();
  const cleanSets = [...sets].filter(([name]) => isCleanSet(name)).flatMap(([, set]) => set);
  const figuresOf = (used: typeof monitor): number[] => [
    chainFigures(used, chains).hits,
    injectionHits(used, cleanSets, 'backdoor', 'ablation').count,
    shapeHits(used, false).count + loopsInTime(used, traces).count,
    chainFigures(used, cleanSets).cleanAlarms,
    healthyAlarms(used, traces, (text) => text).count,
  ];
  print('\nwhat a rule adds', 'chain hits', 'backdoor hits', 'loops', 'clean alarms', 'healthy alarms');
  const all = figuresOf(monitor);
  print('all rules', ...all.map(String));
  for (const { name } of rulesOf(policy)) {
    const rest = figuresOf(without(name));
    print(`+ ${name}`, ...all.map((figure, place) => String(figure - (rest[place] ?? 0))));
  }
}

function printTimes(sets: ReadonlyMap<string, readonly LabelledChain[]>, traces: readonly Trace[]): void {
  const processBench = [...sets]
    .filter(([name]) => name.startsWith('processbench'))
    .flatMap(([, set]) => set);
  const { medianUs, p99Us } = stepTimes(monitor, processBench);
  print('\ntimes', `median ${medianUs.toFixed(0)} us`, `p99 ${p99Us.toFixed(0)} us`, 'a ProcessBench step');
  print('', `${traceTimePerKib(monitor, traces).toFixed(0)} us/KiB`, 'of traces');
}

const directory = findDataDirectory();
if (directory === undefined)
  console.log('no evaluation data beside the project: chains and traces are left out');
else {
  const [sets, traces] = [loadChains(directory), loadTraces(directory)];
  printChains(sets);
  printInjections(sets);
  printTraces(traces);
  printAblation(sets, traces);
  printTimes(sets, traces);
}
print('\nreported loop shapes', share(shapeHits(monitor, false)));
print('shapes that must pass', share(shapeHits(monitor, true)));
print('10,000 steps over 1,000 steps', growth(monitor).toFixed(1));
const hostile = slowestHostileStep(monitor);
print('slowest hostile KiB', `${hostile.ms.toFixed(2)} ms`, hostile.name);
