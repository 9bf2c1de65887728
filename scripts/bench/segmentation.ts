/**
 * The two ways of cutting a chain into steps, compared on real traces (`paper`: at blank lines alone; `haltline`: also
 * at 1,024 units): steps a chain, longest step, steps and tokens until the `rules` monitor catches an exact loop, as
 * the traces are and without their blank lines (arXiv 2603.25412, Figure 5: a loop that never prints one). Then what
 * cutting costs at two sizes: linear means that ten times the text takes ten times as long.
 *
 * `npx tsx scripts/bench/segmentation.ts`; the traces need the evaluation data beside the project (or
 * HALTLINE_DATA_DIR).
 */
import { createSegmenter } from '../../shared/core/segmentation.ts';
import { exactLoopRule } from '../../workers/monitor/rules/exact-loop.ts';
import { createRulesMonitor, type RulesMonitor } from '../../workers/monitor/rules/rules-monitor.ts';
import { findDataDirectory, loadTraces, type Trace } from './rules-data.ts';
import { transformations } from './rules-loops.ts';
import { modeFigures, type ModeFigures, type Spread } from './segmentation-traces.ts';

const print = (...cells: readonly string[]): void =>
  console.log(cells.map((cell, place) => cell.padEnd(place === 0 ? 36 : 30)).join(''));
const say = (spread: Spread | undefined): string =>
  spread === undefined ? '-' : `${spread.median} (${spread.low} to ${spread.high}), n ${spread.n}`;

const rules = createRulesMonitor();
/** Sees nothing of a chain that goes round in other words, as stuck ones do long before they repeat themselves. */
const copiesOnly = createRulesMonitor({ rules: [exactLoopRule] });

function printTraces(traces: readonly Trace[]): void {
  for (const { name, apply } of transformations.filter((one) => /as it is|no blank lines/.test(one.name))) {
    print(`\ntraces, ${name}: median (range)`, 'paper', 'haltline');
    const cuts = (monitor: RulesMonitor): [ModeFigures, ModeFigures] => [
      modeFigures('paper', traces, apply, monitor),
      modeFigures('haltline', traces, apply, monitor),
    ];
    const row = (
      title: string,
      both: [ModeFigures, ModeFigures],
      value: (figures: ModeFigures) => string,
    ): void => print(title, ...both.map(value));
    const all = cuts(rules);
    row('steps a chain', all, (figures) => say(figures.stepsPerChain));
    row('longest step, units', all, (figures) => say(figures.longestStep));
    for (const [by, both] of [
      ['all rules', all],
      ['exact-loop alone', cuts(copiesOnly)],
    ] as const) {
      row(`exact loops caught by ${by}`, both, ({ caught, loops }) => `${caught}/${loops}`);
      row('  steps until then', both, (figures) => say(figures.stepsUntilCaught));
      row('  tokens until then', both, (figures) => say(figures.tokensUntilCaught));
      row('  of these, since the loop began', both, (figures) => say(figures.tokensOfLoop));
    }
  }
}

const texts = {
  'one letter': (units: number) => 'a'.repeat(units),
  prose: (units: number) => 'So far we have 12 apples, and 5 more arrive. '.repeat(units / 45),
  'cut back twice': (units: number) =>
    `${'s'.repeat(20)}. ${'w'.repeat(20)} ${'r'.repeat(1_060)} `.repeat(units / 1_104),
  'open fence': (units: number) => `\`\`\`\n${'x = 1\n\n'.repeat(units / 7)}`,
  spaces: (units: number) => `a${' '.repeat(units)}`,
};

function printCost(name: string, text: string, delta: number): void {
  const segmenter = createSegmenter('haltline');
  const startedAt = process.cpuUsage();
  let steps = 0;
  for (let place = 0; place < text.length; place += delta) {
    steps += segmenter.push('content', text.slice(place, place + delta)).length;
  }
  steps += segmenter.end().length;
  const { user, system } = process.cpuUsage(startedAt);
  console.log(
    `${name}, ${text.length} units in deltas of ${delta}: ${steps} steps, ${((user + system) / 1000).toFixed(0)} ms of CPU, ` +
      `${(segmenter.visited / text.length).toFixed(2)} looks a unit`,
  );
}

const directory = findDataDirectory();
if (directory === undefined) console.log('no evaluation data beside the project: traces are left out');
else printTraces(loadTraces(directory));
console.log('');
for (const [name, build] of Object.entries(texts)) {
  for (const units of [100_000, 1_000_000]) {
    for (const delta of [1, units]) printCost(name, build(units), delta);
  }
}
