import { Command } from 'commander';
import { flag } from '../options.ts';
import type { InitFlags } from './init-action.ts';

const help = `
Examples:
  $ haltline init                       sweep.yaml, for the model that OPENAI_BASE_URL and OPENAI_MODEL name
  $ haltline init try.yaml --simulated  for the models of \`haltline simulate\`: nothing else is needed

Without those variables the spec names a server on this machine, http://127.0.0.1:8000/v1. A key is never written: the
spec names the variable that holds it.`;

export function initCommand(): Command {
  return new Command('init')
    .summary('write a first sweep spec, with comments')
    .argument('[file]', 'where to write it', 'sweep.yaml')
    .addOption(flag('--simulated', 'target simulated models').default(false))
    .addOption(flag('--force', 'overwrite the file').default(false))
    .addHelpText('after', help)
    .action(async (file: string, flags: InitFlags) => {
      const { init } = await import('./init-action.ts');
      await init(file, flags);
    });
}
