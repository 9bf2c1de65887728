/**
 * What each rule adds: `npx tsx scripts/bench/rules-ablation.ts [precise|sensitive]`. Figures of all rules, less those
 * without the rule: what another rule catches as well counts for neither.
 */
import { createRulesMonitor, rulesOf } from '../../workers/monitor/rules/rules-monitor.ts';
import type { Policy } from '../../workers/monitor/rules/rule.ts';
import {
  findDataDirectory,
  loadChains,
  loadDemonstrations,
  loadRationales,
  loadTraces,
} from './rules-data.ts';
import {
  chainFigures,
  demonstrationHits,
  healthyAlarms,
  injectionHits,
  loopsInTime,
  shapeHits,
} from './rules-figures.ts';

const policy: Policy = process.argv[2] === 'sensitive' ? 'sensitive' : 'precise';
const isCleanSet = (name: string): boolean =>
  name.startsWith('processbench') || name === 'prmbench_original_correct';
const columns = [
  'hits',
  'early',
  'clean alarms (all sets)',
  'of ProcessBench, PRMBench',
  'backdoor steps',
  'demonstrations',
  'loops',
  'healthy traces',
];
const print = (...cells: readonly string[]): void =>
  console.log(cells.map((cell, i) => cell.padEnd(i === 0 ? 24 : 27)).join(''));

const directory = findDataDirectory();
if (directory === undefined) console.log('no evaluation data beside the project: nothing to measure');
else {
  const sets = loadChains(directory);
  const chains = [...sets.values()].flat();
  const cleanSets = [...sets].filter(([name]) => isCleanSet(name)).flatMap(([, set]) => set);
  const [rationales, traces] = [loadRationales(directory), loadTraces(directory)];
  const demonstrations = loadDemonstrations(directory);
  const figuresOf = (left: string): number[] => {
    const rules = rulesOf(policy).filter((rule) => rule.name !== left);
    const monitor = createRulesMonitor({ policy, rules });
    const { hits, early, cleanAlarms } = chainFigures(monitor, chains);
    return [
      hits,
      early,
      cleanAlarms,
      chainFigures(monitor, cleanSets).cleanAlarms,
      injectionHits(monitor, rationales, 'backdoor-anywhere', 'ablation').count,
      demonstrationHits(monitor, demonstrations).count,
      shapeHits(monitor, false).count + loopsInTime(monitor, traces).count,
      healthyAlarms(monitor, traces, (text) => text).count,
    ];
  };
  print(`policy ${policy}`, ...columns);
  const all = figuresOf('');
  print('all rules', ...all.map(String));
  for (const { name } of rulesOf(policy)) {
    const rest = figuresOf(name);
    print(`+ ${name}`, ...all.map((figure, place) => String(figure - (rest[place] ?? 0))));
  }
}
