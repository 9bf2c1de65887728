import { dirname, join, resolve } from 'node:path';
import { describeCounts } from '../../shared/core/report/cells.ts';
import { summariseFolder } from '../../workers/metrics/summarise-folder.ts';
import { chooseMonitors, type Policy } from '../choose-monitors.ts';
import { commandLine } from '../command-line.ts';
import { catchInterrupts, INTERRUPTED } from '../interrupts.ts';
import { findSweepFolder } from '../judged-folder.ts';
import { type PreparedJudging, prepareJudged } from '../prepare-judged.ts';
import { exitCodeOf, printReport, readSummary } from '../print-report.ts';
import { runSweep } from '../run-sweep.ts';
import { openSession } from '../session.ts';

export interface JudgeFlags {
  readonly monitor: readonly string[];
  readonly policy: Policy;
  readonly resultsDir: string;
  readonly out?: string;
  readonly specDir?: string;
  readonly json: boolean;
}

/** Judges the stored chains of a sweep again, or goes on with that. @returns the exit code */
export async function judge(sweep: string, flags: JudgeFlags): Promise<number> {
  const { config, log } = openSession('judge', { quiet: true });
  const folder = await findSweepFolder(sweep, flags.resultsDir);
  const own = folder.file.spec.monitors;
  const monitors = await chooseMonitors(flags.monitor, { policy: flags.policy, env: process.env, own });
  const prepared = await prepareJudged(folder, monitors, flags.specDir);
  const resultsDir = flags.out ?? dirname(resolve(folder.dir));
  const dir = join(resultsDir, prepared.sweep.id);
  if ((await readSummary(dir))?.complete === true) {
    const summary = await summariseFolder(dir);
    process.stderr.write(`haltline: sweep ${prepared.sweep.id} is finished\n`);
    printReport(summary, { json: flags.json, dir });
    return exitCodeOf(summary);
  }
  announce(prepared);
  const interrupts = catchInterrupts();
  const { end, progress } = await runSweep({
    ...{ prepare: () => Promise.resolve(prepared), resultsDir, config, log, interrupts },
    workers: { generation: 1, monitor: 1, metrics: 1 },
    env: process.env,
  });
  interrupts.dispose();
  if (end !== 'finished') {
    const done = `${String(progress?.done ?? 0)} of ${String(prepared.plan.total)} runs are on disk`;
    const how = commandLine(process.argv.slice(2));
    process.stderr.write(`haltline: stopped; ${done}. To go on: ${how}\n`);
    return INTERRUPTED;
  }
  const summary = await summariseFolder(dir);
  printReport(summary, { json: flags.json, dir });
  return exitCodeOf(summary);
}

function announce({ sweep, runs, guarded, dropped }: PreparedJudging): void {
  const left = describeCounts(dropped);
  const counts = `${String(runs)} stored runs, ${String(guarded)} to be judged${left === '' ? '' : `; left out: ${left}`}`;
  process.stderr.write(`haltline: sweep ${sweep.id}: ${counts}\n`);
}
