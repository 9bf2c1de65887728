import { Command } from 'commander';
import { flag, parsePositive } from '../options.ts';
import type { FetchFlags } from './dataset-fetch-action.ts';

const help = `
Examples:
  $ haltline dataset fetch gsm8k            (writes data/gsm8k.jsonl)
  $ haltline dataset import gsm8k test.jsonl data/gsm8k.jsonl
  $ haltline dataset show data/gsm8k.jsonl --limit 3
  $ haltline dataset show arithmetic`;

export function datasetCommand(): Command {
  const importing = new Command('import')
    .summary("turn a file in a public format into a spec's questions")
    .argument('<format>', 'gsm8k, aqua, mathqa, commonsenseqa, strategyqa, squad, math500, aime2024 or csv')
    .argument('<from>', 'the file as published')
    .argument('<to>', 'the JSONL to write')
    .addHelpText('after', help)
    .action(async (format: string, from: string, to: string) => {
      const { importDataset } = await import('./dataset-action.ts');
      await importDataset(format, from, to);
    });
  const showing = new Command('show')
    .summary('print questions of a built-in set or a file')
    .argument('<set>', 'a built-in name, or a JSONL file')
    .addOption(flag('--limit <n>', 'questions, at most').argParser(parsePositive).default(5))
    .addHelpText('after', help)
    .action(async (set: string, { limit }: { limit: number }) => {
      const { showDataset } = await import('./dataset-action.ts');
      await showDataset(set, limit);
    });
  const fetching = new Command('fetch')
    .summary("download a public set and turn it into a spec's questions")
    .argument('<name>', 'a public set of `haltline list datasets`')
    .addOption(flag('--to <file>', 'the JSONL to write; default: data/NAME.jsonl'))
    .addOption(flag('--url <url>', 'another address of the same file'))
    .addOption(flag('--sha256 <hex>', 'what the file must have; default: what is known of the set'))
    .addHelpText('after', help)
    .action(async (name: string, flags: FetchFlags) => {
      const { fetchDataset } = await import('./dataset-fetch-action.ts');
      await fetchDataset(name, flags);
    });
  return new Command('dataset')
    .summary('fetch or import questions, or look at them')
    .addHelpText('after', help)
    .addCommand(fetching)
    .addCommand(importing)
    .addCommand(showing);
}
