import { Command, Option } from 'commander';
import { flag } from '../options.ts';
import type { JudgeFlags } from './judge-action.ts';

const help = `
Examples:
  $ haltline judge results/my-sweep-0123456789ab --monitor rules --policy sensitive
  $ haltline judge my-sweep-0123456789ab --monitor llm              a monitor of the sweep's own, by its id
  $ haltline judge results/my-sweep-0123456789ab --monitor other.yaml#llm --monitor rules
  $ haltline judge results/my-sweep-0123456789ab --monitor rules --json | jq '.rows[] | select(.replayed)'

What the sweep's guarded arms would have been under other monitors. Nothing is asked of a target: the stored chains of
its arms without a monitor are judged by the same workers that guard live runs. A verdict counts as ready at the
recorded time of its step plus the measured time of its judging; under \`halt\` the run ends where that would have ended
it. So TAF at the flag is exact, tokens at a cut are an upper bound, and latencies are simulated: they have fields of
their own. Every such figure says \`replayed\`.

The result is a sweep folder of its own, NAME.judged-by-MONITOR-..., with the stored runs beside the replayed ones:
\`haltline report\` reads it. The same command goes on where it was stopped, and prints the report of what is finished.

A monitor sees of a problem what it would have seen live: prompts are rendered again from the sweep's spec and data
files, which must be those of the sweep. What cannot be judged again (a failed run, a chain that is missing or not
whole, a prompt that this version renders otherwise) is left out and counted. The sweep's caps do not apply.

Exit codes: 0 done; 1 an error, or no run that could be scored; 130 stopped by Ctrl-C.`;

export function judgeCommand(): Command {
  const append = (name: string, names: readonly string[] | undefined): string[] => [...(names ?? []), name];
  return new Command('judge')
    .summary('judge the stored chains of a sweep by another monitor')
    .description('Judges the stored chains of a sweep again, without asking its targets.')
    .argument('<sweep>', 'the folder of a sweep, or its id')
    .addOption(
      new Option(
        '--monitor <name>',
        "rules, the id of one of the sweep's own monitors, or a monitor of a spec (spec.yaml#id); repeatable",
      )
        .argParser(append)
        .makeOptionMandatory(),
    )
    .addOption(
      flag('--policy <policy>', 'policy of the built-in rules')
        .choices(['precise', 'sensitive'])
        .default('precise'),
    )
    .addOption(flag('--results-dir <dir>', 'where a sweep that is named by its id lies').default('results'))
    .addOption(flag('--out <dir>', 'where the new folder goes; default: beside the folder of the sweep'))
    .addOption(
      flag('--spec-dir <dir>', "what relative paths of the sweep's spec start from; default: as when it ran"),
    )
    .addOption(
      flag('--json', 'print the summary as JSON, and nothing else, on standard output').default(false),
    )
    .addHelpText('after', help)
    .action(async (sweep: string, flags: JudgeFlags) => {
      const { judge } = await import('./judge-action.ts');
      process.exitCode = await judge(sweep, flags);
    });
}
