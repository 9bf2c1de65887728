import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Command } from 'commander';
import { builtInPath } from '../../producers/datasets/load-questions.ts';
import { checkSpec } from '../../producers/load-spec.ts';
import { HaltlineError } from '../../shared/errors.ts';
import { buildDemoSpec, demoTokensPerSecond } from '../demo-spec.ts';
import { catchInterrupts, INTERRUPTED } from '../interrupts.ts';
import { flag } from '../options.ts';
import { prepareSweep } from '../prepare-sweep.ts';
import { exitCodeOf, printReport, readSummary } from '../print-report.ts';
import { runSweep } from '../run-sweep.ts';
import { openSession } from '../session.ts';
import { createSimulator } from '../simulator/create-simulator.ts';

const help = `
Needs nothing but this project: the models are simulated, and a Redis is started if REDIS_URL names none. Each demo is a
sweep of its own with the same seeds, so two demos agree. Takes about half a minute.`;

interface DemoFlags {
  readonly resultsDir: string;
  readonly json: boolean;
}

export function demoCommand(): Command {
  return new Command('demo')
    .summary('see it work: a small sweep against simulated models')
    .addOption(flag('--results-dir <dir>', 'where results go').default('results'))
    .addOption(
      flag('--json', 'print the summary as JSON, and nothing else, on standard output').default(false),
    )
    .addHelpText('after', help)
    .action(async (flags: DemoFlags) => {
      process.exitCode = await demo(flags);
    });
}

async function demo({ resultsDir, json }: DemoFlags): Promise<number> {
  const { config, log } = openSession('demo', { quiet: true });
  const interrupts = catchInterrupts();
  const simulator = await createSimulator({
    answerFiles: [builtInPath('arithmetic')],
    tokensPerSecond: demoTokensPerSecond,
    logEntries: 0,
  });
  try {
    const loaded = { ...checkSpec('demo', buildDemoSpec(simulator.url)), folder: '.' };
    const prepared = await prepareSweep(loaded, { nonce: randomUUID() });
    const { questionCount, total } = prepared.plan;
    const size = `${String(questionCount)} questions, ${String(total)} runs`;
    process.stderr.write(`haltline: demo against simulated models: ${size}\n`);
    const { end, progress } = await runSweep({
      ...{ prepared, resultsDir, config, log, interrupts },
      workers: { generation: 1, monitor: 1, metrics: 1 },
      env: process.env,
    });
    if (end !== 'finished') {
      process.stderr.write(
        `haltline: stopped; ${String(progress?.done ?? 0)} of ${String(total)} runs are on disk\n`,
      );
      return INTERRUPTED;
    }
    const dir = join(resultsDir, prepared.sweep.id);
    const summary = await readSummary(dir);
    if (summary === undefined) throw new HaltlineError('DATA_MISSING', `no summary.json in ${dir}`);
    printReport(summary, { json, dir });
    return exitCodeOf(summary);
  } finally {
    await simulator.close();
    interrupts.dispose();
  }
}
