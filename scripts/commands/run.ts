import { Command } from 'commander';
import { addLayerFlags } from '../layer-flags.ts';
import { flag, parseCount, parsePositive } from '../options.ts';
import type { RunFlags } from './run-action.ts';

const help = `
Examples:
  $ haltline run sweep.yaml                      run it here, or go on where it was stopped
  $ haltline run sweep.yaml --limit 5            5 questions of each data set, to see that all is well
  $ haltline run sweep.yaml --generation 4       4 processes that stream from the targets
  $ haltline run sweep.yaml --filter-attack paa --seed 8   part of it, under another seed: a sweep of its own
  $ haltline run sweep.yaml --json > figures.json
  $ REDIS_URL=redis://queue:6379 haltline run sweep.yaml --no-workers
                                                 feed workers that run elsewhere (\`haltline worker --help\`)

A sweep's id is the spec's name and a hash of what it asks: the same spec resumes its sweep, a changed one is another.
A sweep that is finished prints its report; --new runs it once more.

Ctrl-C stops cleanly: what is finished is kept, and the same command goes on. A second Ctrl-C leaves at once.

Exit codes: 0 done; 1 an error, or no run that did not fail; 3 stopped by a cap of the spec's limits;
130 stopped by Ctrl-C (the first and the second alike).`;

export function runCommand(): Command {
  const command = new Command('run')
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
    .addHelpText('after', help);
  return addLayerFlags(command).action(async (path: string, flags: RunFlags) => {
    // Loaded when it is wanted: help and errors come at once.
    const { run } = await import('./run-action.ts');
    process.exitCode = await run(path, flags);
  });
}
