import { Command, CommanderError } from 'commander';
import { ZodError } from 'zod';
import { benchCommand } from './commands/bench.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { initCommand } from './commands/init.ts';
import { datasetCommand } from './commands/dataset.ts';
import { judgeCommand } from './commands/judge.ts';
import { listCommand } from './commands/list.ts';
import { reportCommand } from './commands/report.ts';
import { runCommand } from './commands/run.ts';
import { signaturesCommand } from './commands/signatures.ts';
import { showCommand } from './commands/show.ts';
import { simulateCommand } from './commands/simulate.ts';
import { validateCommand } from './commands/validate.ts';
import { workerCommand } from './commands/worker.ts';
import { readVersion } from './package-root.ts';
import { terminalLines, terminalText } from '../shared/core/terminal-text.ts';

const help = `
Examples:
  $ haltline demo                       see it work, without a model
  $ haltline init                       write a first spec, sweep.yaml
  $ haltline validate sweep.yaml        what would run
  $ haltline run sweep.yaml             run it, or go on where it was stopped
  $ haltline report results/SWEEP       the figures of a folder
  $ haltline judge results/SWEEP --monitor rules   its stored chains under another monitor
  $ haltline doctor                     what is in the way of a sweep

Every flag has an environment variable: --results-dir is HALTLINE_RESULTS_DIR. REDIS_URL names the Redis to use; without
it one is started for the command. API keys are read from the variables that a spec names (apiKeyEnv).

Exit codes: 0 ok, 1 error, 3 stopped by a cap (maxCost, ...), 130 stopped by Ctrl-C.`;

function createProgram(): Command {
  const program = new Command('haltline')
    .description(
      'Launches reasoning attacks at language models, halts unsafe reasoning mid-stream, and measures.',
    )
    .version(readVersion())
    .addHelpText('after', help)
    .showSuggestionAfterError()
    .enablePositionalOptions();
  const commands = [
    demoCommand(),
    initCommand(),
    runCommand(),
    validateCommand(),
    reportCommand(),
    judgeCommand(),
    signaturesCommand(),
    benchCommand(),
    workerCommand(),
    listCommand(),
    showCommand(),
    datasetCommand(),
    doctorCommand(),
    simulateCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  settle(program);
  return program;
}

/** Errors in our own form, and no exit from within the parser. */
function settle(command: Command): void {
  command.exitOverride().configureOutput({
    outputError: (text, write) =>
      write(
        `haltline: ${terminalText(
          text
            .replace(/^error: /, '')
            .trim()
            .replaceAll('\n', ' '),
        )}\n`,
      ),
  });
  for (const child of command.commands) settle(child);
}

/** One line for a person; the stack only for who asked for debugging. */
function explain(error: unknown): string {
  const isDebugging = ['debug', 'trace'].includes(process.env.HALTLINE_LOG_LEVEL ?? '');
  if (isDebugging && error instanceof Error) return error.stack ?? error.message;
  if (error instanceof ZodError) {
    const issue = error.issues[0];
    return `unreadable data at ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
  }
  const message = error instanceof Error ? error.message || error.name : String(error);
  return message.replaceAll(/\s*\n\s*/g, ' ');
}

function fail(error: unknown): never {
  // Messages quote files and servers.
  process.stderr.write(`haltline: ${terminalLines(explain(error))}\n`);
  process.exit(1);
}

process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
// A reader that has seen enough (`haltline report ... | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  fail(error);
});

try {
  await createProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else fail(error);
}
