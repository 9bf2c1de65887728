/**
 * Measures the precision of each rule on labelled chains and writes `workers/monitor/rules/confidences.ts`:
 * `npx tsx scripts/bench/calibrate-rules.ts`. Needs the evaluation data beside the project (or HALTLINE_DATA_DIR).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRulesMonitor, rulesOf } from '../../workers/monitor/rules/rules-monitor.ts';
import type { Rule } from '../../workers/monitor/rules/rule.ts';
import {
  countOnDemonstrations,
  countOnInserted,
  countOnLabelled,
  countOnTraces,
  precisionOf,
  renderConfidences,
  type Calibrated,
} from './rules-calibration.ts';
import {
  findDataDirectory,
  loadChains,
  loadDemonstrations,
  loadRationales,
  loadTraces,
} from './rules-data.ts';

const directory = findDataDirectory();
if (directory === undefined) {
  process.stderr.write('no evaluation data beside the project: nothing to calibrate on\n');
  process.exitCode = 1;
} else {
  const chains = loadChains(directory);
  const data = {
    chains,
    clean: [...chains.values(), loadRationales(directory)]
      .flat()
      .filter((chain) => chain.firstError === null),
    traces: loadTraces(directory),
    demonstrations: loadDemonstrations(directory),
  };
  const calibrate = (rule: Rule): Calibrated => {
    const monitor = createRulesMonitor({ rules: [rule] });
    const labelled = countOnLabelled(monitor, [...data.chains.values()].flat());
    const isLoop = rule.codes.includes('3a');
    return precisionOf(rule.name, {
      labelled,
      ...(rule.name === 'backdoor-step' && { inserted: countOnInserted(monitor, data.clean) }),
      ...(isLoop && { traces: countOnTraces(monitor, data.traces) }),
      demonstrations: countOnDemonstrations(monitor, data.demonstrations),
    });
  };
  const calibrated = rulesOf('sensitive').map(calibrate);
  const path = join(import.meta.dirname, '../../workers/monitor/rules/confidences.ts');
  writeFileSync(path, renderConfidences(calibrated, [...data.chains.keys()]));
  for (const { rule, value, right, n, source } of calibrated)
    console.log(rule.padEnd(22), value.toFixed(2), `${right}/${n}`.padEnd(12), source);
}
