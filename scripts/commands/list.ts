import { Argument, Command } from 'commander';
import { flag } from '../options.ts';

export const listKinds = ['attacks', 'datasets', 'monitors'] as const;
export type ListKind = (typeof listKinds)[number];

const help = `
Examples:
  $ haltline list attacks               what a spec's attacks can be, with their parameters and defaults
  $ haltline list datasets              data sets that are built in, and where public ones lie
  $ haltline list monitors --json`;

export function listCommand(): Command {
  return new Command('list')
    .summary('list the attacks, data sets or monitors that a spec can name')
    .addArgument(new Argument('<what>', 'what to list').choices(listKinds))
    .addOption(flag('--json', 'print JSON').default(false))
    .addHelpText('after', help)
    .action(async (kind: ListKind, { json }: { json: boolean }) => {
      const { list } = await import('./list-action.ts');
      await list(kind, { json });
    });
}
