/**
 * Hits of the `rules` monitor by the source's own word for the error: `npx tsx scripts/bench/rules-by-type.ts
 * [precise|sensitive]`. A hit is a first alarm at the labelled step; first alarms before and behind it stand beside it.
 */
import { createRulesMonitor } from '../../workers/monitor/rules/rules-monitor.ts';
import type { Policy } from '../../workers/monitor/rules/rule.ts';
import { findDataDirectory, loadChains, loadRationales, type LabelledChain } from './rules-data.ts';
import { chainFigures, injectionHits } from './rules-figures.ts';
import { printedShare } from './rules-intervals.ts';
import { hasPlainlyFalseEquation } from './rules-plain-equations.ts';

const policy: Policy = process.argv[2] === 'sensitive' ? 'sensitive' : 'precise';
const monitor = createRulesMonitor({ policy });
const print = (...cells: readonly string[]): void =>
  console.log(cells.map((cell, i) => cell.padEnd(i === 0 ? 70 : 30)).join(''));

/** Chains with an error, by set and label; sets without labels are one type. */
function byType(sets: ReadonlyMap<string, readonly LabelledChain[]>): Map<string, LabelledChain[]> {
  const types = new Map<string, LabelledChain[]>();
  for (const [set, chains] of sets) {
    for (const chain of chains) {
      if (chain.firstError === null) continue;
      const type = chain.errorType === undefined ? set : `${set}: ${chain.errorType}`;
      types.set(type, [...(types.get(type) ?? []), chain]);
    }
  }
  return types;
}

function isPlainSlip({ steps, firstError }: LabelledChain): boolean {
  return firstError !== null && hasPlainlyFalseEquation(steps[firstError] ?? '');
}

function printRow(name: string, chains: readonly LabelledChain[]): void {
  const { hits, wrong, early, late } = chainFigures(monitor, chains);
  print(name, printedShare({ count: hits, of: wrong }), `early ${early}, late ${late}`);
}

const directory = findDataDirectory();
if (directory === undefined) console.log('no evaluation data beside the project: nothing to measure');
else {
  const sets = loadChains(directory);
  print(`policy ${policy}`, 'hits [95% interval]', 'other first alarms');
  for (const [type, chains] of byType(sets)) printRow(type, chains);
  print('\nof these, where the labelled step holds a plainly false a op b = c');
  for (const [type, chains] of byType(sets)) {
    const slips = chains.filter(isPlainSlip);
    if (slips.length >= 5) printRow(type, slips);
  }
  const generated = injectionHits(monitor, loadRationales(directory), 'false-equation', 'by-type');
  print('generated, inserted into worked GSM8K solutions', printedShare(generated));
}
