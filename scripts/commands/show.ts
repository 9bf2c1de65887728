import { Command, InvalidArgumentError, Option } from 'commander';
import { flag } from '../options.ts';
import type { ShowAttackFlags } from './show-attack-action.ts';

const help = `
Examples:
  $ haltline show attack badchain --question "What is 3 + 4?" --answer 7
  $ haltline show attack paa --question "Which is a fruit?" --choices pear stone --answer A
  $ haltline show attack badchain --question "What is 3 + 4?" --param trigger=zq --condition attacked --json
  $ haltline show attack mine --module ./mine.mjs --question "What is 3 + 4?" --seed 7

What is injected is shown in reverse on a terminal, else between ⟦ and ⟧ (as with NO_COLOR).`;

export function showCommand(): Command {
  const attack = new Command('attack')
    .summary('print what an attack sends, in every condition, and what a monitor sees of it')
    .argument('<name>', 'an attack of `haltline list attacks`, or of --module')
    .addOption(flag('--question <text>', 'the question').makeOptionMandatory())
    .addOption(flag('--answer <text>', 'its right answer; default: the first option, or 1'))
    .addOption(flag('--choices <texts...>', 'its options, A, B, C ...'))
    .addOption(flag('--context <text>', 'a passage that it is about'))
    .addOption(flag('--param <key=value>', "a parameter of the attack's own; repeatable").argParser(collect))
    .addOption(flag('--module <file>', "the module of an attack of one's own, which exports the name"))
    .addOption(flag('--seed <n>', "the sweep's seed, which draws what the attack leaves open").default('0'))
    .addOption(condition())
    .addOption(flag('--json', 'print JSON').default(false))
    .addHelpText('after', help)
    .action(async (name: string, flags: ShowAttackFlags) => {
      const { showAttack } = await import('./show-attack-action.ts');
      await showAttack(name, flags);
    });
  return new Command('show')
    .summary('show what an attack sends')
    .addHelpText('after', help)
    .addCommand(attack);
}

function condition(): Option {
  return flag('--condition <name>', 'only this condition').choices(['clean', 'attacked', 'control']);
}

function collect(text: string, earlier: readonly string[] = []): string[] {
  if (!text.includes('=')) throw new InvalidArgumentError('Expected key=value.');
  return [...earlier, text];
}
