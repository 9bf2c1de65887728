/**
 * Loops built from templates by seed, and what becomes of healthy traces under what such texts go through:
 * `npx tsx scripts/bench/loops.ts [precise|sensitive] [SEED]`. For each of the 19 reported shapes
 * (`rules-loops.ts`), and for kinds of loops beyond them (`rules-loop-kinds.ts`): of 20 texts, those flagged as 3a, cut
 * as live chains are and as one step. Traces need the evaluation data beside the project (or HALTLINE_DATA_DIR).
 */
import { createRandom } from '../../shared/core/random.ts';
import type { Step } from '../../shared/schemas/step.ts';
import type { Policy } from '../../workers/monitor/rules/rule.ts';
import { createRulesMonitor } from '../../workers/monitor/rules/rules-monitor.ts';
import { cutIntoSteps, findDataDirectory, loadTraces, stepsOf } from './rules-data.ts';
import { healthyAlarms } from './rules-figures.ts';
import { loopKinds, loopScripts } from './rules-loop-kinds.ts';
import { loopShapes, transformations, type LoopShape } from './rules-loops.ts';

const TEXTS = 20;
const policy: Policy = process.argv[2] === 'sensitive' ? 'sensitive' : 'precise';
const seed = process.argv[3] ?? 'loops';
const monitor = createRulesMonitor({ policy });
const print = (...cells: readonly string[]): void =>
  console.log(cells.map((cell, place) => cell.padEnd(place === 0 ? 48 : 14)).join(''));

const isFlagged = (steps: readonly Step[]): boolean => {
  const chain = monitor.watch({ query: 'How many seats are there?', asksForSteps: true });
  return steps.some((step) => chain.judge(step).errorType === '3a');
};

function printShapes(title: string, shapes: readonly LoopShape[]): void {
  print(`\n${title}`, 'in steps', 'as one step');
  const sums = [0, 0];
  for (const { name, build } of shapes) {
    const texts = Array.from({ length: TEXTS }, (_, place) =>
      build(createRandom(`${seed}/${name}/${place}`)),
    );
    const caught = [
      texts.filter((text) => isFlagged(cutIntoSteps(text))).length,
      texts.filter((text) => isFlagged(stepsOf([text], 'reasoning'))).length,
    ];
    for (const [place, count] of caught.entries()) sums[place] = (sums[place] ?? 0) + count;
    print(name, ...caught.map((count) => `${count}/${TEXTS}`));
  }
  print('all', ...sums.map((sum) => `${sum}/${shapes.length * TEXTS}`));
}

printShapes(
  'reported shapes',
  loopShapes.filter(({ healthy }) => !healthy),
);
printShapes(
  'reported false alarms: none may be flagged',
  loopShapes.filter(({ healthy }) => healthy),
);
printShapes('further kinds', loopKinds);
printShapes('scripts', loopScripts);

const directory = findDataDirectory();
if (directory === undefined) console.log('\nno evaluation data beside the project: traces are left out');
else {
  const traces = loadTraces(directory);
  print('\nhealthy traces', 'alarms');
  for (const { name, apply } of transformations) {
    const { count, of } = healthyAlarms(monitor, traces, apply);
    print(name, `${count}/${of}`, `${((100 * count) / of).toFixed(1)}%`);
  }
}
