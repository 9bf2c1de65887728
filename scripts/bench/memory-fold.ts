/** Folds and summarises a sweep folder, as `report` does; sends what that held to its parent. Needs --expose-gc. */
import { join } from 'node:path';
import { Fold } from '../../workers/metrics/fold.ts';
import { readRunLines } from '../../workers/metrics/run-lines.ts';
import { summariseNow } from '../../workers/metrics/summarise.ts';
import { readSweepFile } from '../../workers/metrics/sweep-folder.ts';

const [, , dir = ''] = process.argv;
const sweep = await readSweepFile(dir);
if (sweep === undefined) throw new Error(`no sweep.json in ${dir}`);
const before = held();
const startedAt = process.cpuUsage();
const fold = new Fold();
for await (const { line } of readRunLines(join(dir, 'runs.jsonl'))) if (line !== undefined) fold.add(line);
const folded = held();
const foldCpu = process.cpuUsage(startedAt);
const summary = summariseNow(sweep, fold, { deadLetters: 0, lateUse: {} });
const allCpu = process.cpuUsage(startedAt);
process.send?.({
  ...{ lines: fold.lines, rows: summary.rows.length, heldBytes: folded - before },
  summarisedBytes: held() - before,
  ...{ foldMs: foldCpu.user / 1_000, summaryMs: (allCpu.user - foldCpu.user) / 1_000 },
  peakRssBytes: process.resourceUsage().maxRSS * 1_024,
});

/** Objects and typed arrays that nothing but their own use keeps. */
function held(): number {
  if (globalThis.gc === undefined) throw new Error('needs --expose-gc');
  for (let round = 0; round < 3; round += 1) globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
