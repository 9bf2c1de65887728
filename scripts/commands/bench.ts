import { Command, Option } from 'commander';
import { flag, parseCount, parsePositive } from '../options.ts';
import type { BenchChainsFlags } from './bench-chains-action.ts';

const help = `
Examples:
  $ haltline bench chains chains/*.jsonl --monitor rules
  $ haltline bench chains chains/*.jsonl --monitor rules --policy sensitive --json > figures.json
  $ haltline bench chains chains/*.jsonl --limit 20 --monitor sweep.yaml#llm --monitor rules

A line of a file is a chain: {"id", "dataset", "question", "steps": [...], "firstError": index or null, "errorType"?,
"context"?, "choices"?}. Each becomes a run that is judged as a live one is, under the intervention \`flag\`; its label
never leaves this command. With two monitors, both judge the same chains, and a paired test compares them.

Exit codes: 0 done; 1 an error, or no chain that could be scored; 130 stopped by Ctrl-C.`;

export function benchCommand(): Command {
  return new Command('bench').summary('measure monitors on recorded chains').addCommand(chainsCommand());
}

function chainsCommand(): Command {
  const append = (name: string, names: readonly string[] | undefined): string[] => [...(names ?? []), name];
  return new Command('chains')
    .summary('how well a monitor finds the labelled step')
    .description('Replays labelled chains through the same workers that guard live runs, and measures.')
    .argument('<files...>', 'files of labelled chains, JSON Lines')
    .addOption(
      new Option(
        '--monitor <name>',
        'rules, or a monitor of a sweep spec (spec.yaml#id); a second one is compared with the first',
      )
        .argParser(append)
        .makeOptionMandatory(),
    )
    .addOption(
      flag('--policy <policy>', 'policy of the built-in rules')
        .choices(['precise', 'sensitive'])
        .default('precise'),
    )
    .addOption(flag('--limit <n>', 'chains of each file, at most').argParser(parsePositive))
    .addOption(flag('--seed <n>', 'which chains --limit takes').argParser(parseCount).default(0))
    .addOption(flag('--out <dir>', 'keep the result files there; default: they are removed'))
    .addOption(flag('--json', 'print the figures as one JSON object on standard output').default(false))
    .addHelpText('after', help)
    .action(async (files: readonly string[], flags: BenchChainsFlags) => {
      const { benchChains } = await import('./bench-chains-action.ts');
      process.exitCode = await benchChains(files, flags);
    });
}
