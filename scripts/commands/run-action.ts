import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { commandLine } from '../command-line.ts';
import { loadSpec } from '../../producers/load-spec.ts';
import { summariseFolder } from '../../workers/metrics/summarise-folder.ts';
import { CAPPED, describeCap } from '../capped.ts';
import { checkTargets } from '../check-targets.ts';
import { catchInterrupts, INTERRUPTED } from '../interrupts.ts';
import { layerSpec, type SpecLayer } from '../layer-spec.ts';
import { type PreparedSweep, prepareSweep } from '../prepare-sweep.ts';
import { exitCodeOf, printReport, readSummary } from '../print-report.ts';
import { runSweep } from '../run-sweep.ts';
import { openSession } from '../session.ts';

export interface RunFlags extends SpecLayer {
  readonly new: boolean;
  readonly nonce?: string;
  readonly json: boolean;
  readonly limit?: number;
  readonly generation: number;
  readonly monitor: number;
  readonly metrics: number;
  readonly workers: boolean;
  readonly resultsDir?: string;
}

/** Runs or resumes a sweep. @returns the exit code */
export async function run(path: string, flags: RunFlags): Promise<number> {
  const { config, log } = openSession('run', { quiet: true });
  const loaded = layerSpec(await loadSpec(path, process.env), flags);
  const nonce = flags.nonce ?? (flags.new ? randomUUID().slice(0, 8) : undefined);
  const prepared = await prepareSweep(loaded, { limit: flags.limit, nonce });
  const resultsDir = flags.resultsDir ?? prepared.sweep.spec.output.dir;
  const dir = join(resultsDir, prepared.sweep.id);
  if ((await readSummary(dir))?.complete === true) {
    const summary = await summariseFolder(dir);
    process.stderr.write(`haltline: sweep ${prepared.sweep.id} is finished; --new runs it once more\n`);
    printReport(summary, { json: flags.json, dir });
    return exitCodeOf(summary);
  }
  announce(prepared);
  if (flags.workers && flags.generation > 0) await checkTargets(prepared.sweep.spec.targets);
  const { generation, monitor, metrics } = flags;
  const none = { generation: 0, monitor: 0, metrics: 0 };
  const interrupts = catchInterrupts();
  const { end, progress, reached } = await runSweep({
    ...{ prepare: () => Promise.resolve(prepared), resultsDir, config, log, interrupts },
    workers: flags.workers ? { generation, monitor, metrics } : none,
    env: process.env,
  });
  interrupts.dispose();
  if (end === 'finished') return report(dir, flags);
  const done = `${String(progress?.done ?? 0)} of ${String(prepared.plan.total)} runs are on disk`;
  if (end === 'capped') {
    await printSoFar(dir, flags);
    const why = reached ? describeCap(reached, prepared.sweep.spec) : 'a cap is reached';
    const how = 'To go on, raise it and run';
    process.stderr.write(`haltline: stopped: ${why}; ${done}. ${how}: ${resumeCommand(nonce)}\n`);
    return CAPPED;
  }
  if (end === 'cancelled') {
    process.stderr.write(`haltline: the sweep was cancelled; ${done}\n`);
    return 1;
  }
  process.stderr.write(`haltline: stopped; ${done}. To go on: ${resumeCommand(nonce)}\n`);
  return INTERRUPTED;
}

function announce({ sweep, plan }: PreparedSweep): void {
  const counts = `${String(plan.questionCount)} questions, ${String(plan.caseCount)} cases, ${String(plan.total)} runs`;
  process.stderr.write(`haltline: sweep ${sweep.id}: ${counts}\n`);
}

async function report(dir: string, { json }: RunFlags): Promise<number> {
  const summary = await readSummary(dir);
  if (summary === undefined) {
    process.stderr.write(
      `haltline: the sweep is finished; its results are where its metrics worker runs, not in ${dir}\n`,
    );
    return 0;
  }
  printReport(summary, { json, dir });
  return exitCodeOf(summary);
}

/** The figures of what is on disk, where the disk is here. */
async function printSoFar(dir: string, { json }: RunFlags): Promise<void> {
  const summary = await readSummary(dir);
  if (summary !== undefined) printReport(summary, { json, dir });
}

/** What was typed, with the nonce that --new drew in place of --new. */
function resumeCommand(nonce: string | undefined): string {
  const args = process.argv.slice(2).filter((arg) => nonce === undefined || arg !== '--new');
  if (nonce !== undefined && !args.some((arg) => arg.startsWith('--nonce'))) args.push(`--nonce=${nonce}`);
  return commandLine(args);
}
