import { Command } from 'commander';
import { flag } from '../options.ts';
import type { DemoFlags } from './demo-action.ts';

const help = `
Needs nothing but this project: the models are simulated, and a Redis is started if REDIS_URL names none. Each demo is a
sweep of its own with the same seeds, so two demos agree. Takes about half a minute.`;

export function demoCommand(): Command {
  return new Command('demo')
    .summary('see it work: a small sweep against simulated models')
    .addOption(flag('--results-dir <dir>', 'where results go').default('results'))
    .addOption(
      flag('--json', 'print the summary as JSON, and nothing else, on standard output').default(false),
    )
    .addHelpText('after', help)
    .action(async (flags: DemoFlags) => {
      const { demo } = await import('./demo-action.ts');
      process.exitCode = await demo(flags);
    });
}
