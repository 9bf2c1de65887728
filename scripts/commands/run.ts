import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Command } from 'commander';
import { loadSpec } from '../../producers/load-spec.ts';
import { summariseFolder } from '../../workers/metrics/summarise-folder.ts';
import { catchInterrupts, INTERRUPTED } from '../interrupts.ts';
import { flag, parseCount, parsePositive } from '../options.ts';
import { type PreparedSweep, prepareSweep } from '../prepare-sweep.ts';
import { exitCodeOf, printReport, readSummary } from '../print-report.ts';
import { runSweep } from '../run-sweep.ts';
import { openSession } from '../session.ts';

interface RunFlags {
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

const help = `
Examples:
  $ haltline run sweep.yaml                      run it here, or go on where it was stopped
  $ haltline run sweep.yaml --limit 5            5 questions of each data set, to see that all is well
  $ haltline run sweep.yaml --generation 4       4 processes that stream from the targets
  $ haltline run sweep.yaml --json > figures.json
  $ REDIS_URL=redis://queue:6379 haltline run sweep.yaml --no-workers
                                                 feed workers that run elsewhere (\`haltline worker --help\`)

A sweep's id is the spec's name and a hash of what it asks: the same spec resumes its sweep, a changed one is another.
A sweep that is finished prints its report; --new runs it once more.

Ctrl-C stops cleanly: what is finished is kept, and the same command goes on. A second Ctrl-C leaves at once.

Exit codes: 0 done; 1 an error, or no run that did not fail; 130 stopped by Ctrl-C (the first and the second alike).`;

export function runCommand(): Command {
  return new Command('run')
    .summary('run a sweep, or resume it')
    .description(
      'Runs a sweep: attacks every target with every question, with and without monitors, and measures.',
    )
    .argument('<spec>', 'the sweep spec, YAML or JSON')
    .addOption(flag('--new', 'run the sweep anew, under an id of its own').default(false))
    .addOption(flag('--nonce <text>', 'resume the sweep that --new began with this text'))
    .addOption(flag('--limit <n>', 'questions of each data set, at most').argParser(parsePositive))
    .addOption(flag('--generation <n>', 'generation workers to start').argParser(parseCount).default(1))
    .addOption(flag('--monitor <n>', 'monitor workers to start').argParser(parseCount).default(1))
    .addOption(flag('--metrics <n>', 'metrics workers to start').argParser(parseCount).default(1))
    .addOption(flag('--no-workers', 'start no workers: they run elsewhere, on the Redis of REDIS_URL'))
    .addOption(flag('--results-dir <dir>', "where results go; default: the spec's output.dir"))
    .addOption(
      flag('--json', 'print the summary as JSON, and nothing else, on standard output').default(false),
    )
    .addHelpText('after', help)
    .action(async (path: string, flags: RunFlags) => {
      process.exitCode = await run(path, flags);
    });
}

async function run(path: string, flags: RunFlags): Promise<number> {
  const { config, log } = openSession('run', { quiet: true });
  const loaded = await loadSpec(path, process.env);
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
  const { generation, monitor, metrics } = flags;
  const none = { generation: 0, monitor: 0, metrics: 0 };
  const interrupts = catchInterrupts();
  const { end, progress } = await runSweep({
    ...{ prepared, resultsDir, config, log, interrupts },
    workers: flags.workers ? { generation, monitor, metrics } : none,
    env: process.env,
  });
  interrupts.dispose();
  if (end === 'finished') return report(dir, flags);
  const done = `${String(progress?.done ?? 0)} of ${String(prepared.plan.total)} runs are on disk`;
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

/** What was typed, with the nonce that --new drew in place of --new. */
function resumeCommand(nonce: string | undefined): string {
  const args = process.argv.slice(2).filter((arg) => nonce === undefined || arg !== '--new');
  if (nonce !== undefined && !args.some((arg) => arg.startsWith('--nonce'))) args.push(`--nonce=${nonce}`);
  const quoted = args.map((arg) =>
    /^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`,
  );
  const command = process.env.npm_lifecycle_event === 'haltline' ? 'npm run haltline --' : 'haltline';
  return [command, ...quoted].join(' ');
}
