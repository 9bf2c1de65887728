/**
 * Measures the `rules` monitor on real chains: `npx tsx scripts/bench/rules.ts [precise|sensitive]`.
 * Prints alarms on clean chains, hits by set, and times; `rules-by-type.ts` and `rules-ablation.ts` print the rest. Needs the evaluation data beside the
 * project (or HALTLINE_DATA_DIR); without it, it says so and prints the figures that need none.
 */
import { createRulesMonitor } from '../../workers/monitor/rules/rules-monitor.ts';
import type { Policy } from '../../workers/monitor/rules/rule.ts';
import {
  findDataDirectory,
  loadChains,
  loadDemonstrations,
  loadRationales,
  loadTraces,
  type Demonstration,
  type LabelledChain,
  type Trace,
} from './rules-data.ts';
import {
  chainFigures,
  demonstrationHits,
  healthyAlarms,
  injectionHits,
  loopsInTime,
  shapeHits,
} from './rules-figures.ts';
import { printedShare } from './rules-intervals.ts';
import { transformations } from './rules-loops.ts';
import { growth, slowestHostileStep, stepTimes, traceTimePerKib } from './rules-times.ts';

const policy: Policy = process.argv[2] === 'sensitive' ? 'sensitive' : 'precise';
const monitor = createRulesMonitor({ policy });
const isCleanSet = (name: string): boolean =>
  name.startsWith('processbench') || name === 'prmbench_original_correct';
const print = (...cells: readonly string[]): void =>
  console.log(cells.map((cell, i) => cell.padEnd(i === 0 ? 44 : 30)).join(''));
function printChains(sets: ReadonlyMap<string, readonly LabelledChain[]>): void {
  print('set', 'clean alarms', 'hits', 'early', 'late');
  for (const [name, chains] of sets) {
    const { clean, cleanAlarms, wrong, hits, early, late } = chainFigures(monitor, chains);
    print(
      name,
      printedShare({ count: cleanAlarms, of: clean }),
      printedShare({ count: hits, of: wrong }),
      String(early),
      String(late),
    );
  }
}

function printClean(sets: ReadonlyMap<string, readonly LabelledChain[]>): void {
  const clean = [...sets].filter(([name]) => isCleanSet(name)).flatMap(([, chains]) => chains);
  const { cleanAlarms, clean: of } = chainFigures(monitor, clean);
  print('error-free ProcessBench and PRMBench', printedShare({ count: cleanAlarms, of }));
}

function printInjections(sets: ReadonlyMap<string, readonly LabelledChain[]>): void {
  print(
    '\ninserted into error-free chains',
    'backdoor step at the result',
    'behind any step',
    'false equation',
  );
  for (const [name, chains] of sets) {
    const hits = (kind: Parameters<typeof injectionHits>[2]): string =>
      printedShare(injectionHits(monitor, chains, kind, name));
    print(name, hits('backdoor'), hits('backdoor-anywhere'), hits('false-equation'));
  }
}

function printDemonstrations(demonstrations: readonly Demonstration[]): void {
  print('\npublished demonstrations', 'at the backdoor step');
  for (const dataset of new Set(demonstrations.map((one) => one.dataset)))
    print(
      dataset,
      printedShare(
        demonstrationHits(
          monitor,
          demonstrations.filter((one) => one.dataset === dataset),
        ),
      ),
    );
}

function printTraces(traces: readonly Trace[]): void {
  print('\ntraces', 'alarms');
  print('exact loops flagged in time', printedShare(loopsInTime(monitor, traces)));
  for (const { name, apply } of transformations)
    print(`healthy, ${name}`, printedShare(healthyAlarms(monitor, traces, apply)));
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
  printClean(sets);
  const errorFree = [...sets].filter(([name]) => isCleanSet(name) || name === 'roscoe_gsm8k');
  const rationales = loadRationales(directory);
  printChains(new Map([['gsm8k worked solutions', rationales]]));
  printInjections(new Map([...errorFree, ['gsm8k worked solutions', rationales]]));
  printDemonstrations(loadDemonstrations(directory));
  printTraces(traces);
  printTimes(sets, traces);
}
print('\nreported loop shapes', printedShare(shapeHits(monitor, false)));
print('shapes that must pass', printedShare(shapeHits(monitor, true)));
print('10,000 steps over 1,000 steps', growth(monitor).toFixed(1));
const hostile = slowestHostileStep(monitor);
print('slowest hostile KiB', `${hostile.ms.toFixed(2)} ms`, hostile.name);
