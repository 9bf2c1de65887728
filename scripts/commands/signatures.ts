import { Command } from 'commander';
import { flag, parseCount } from '../options.ts';
import type { SignatureFlags } from './signatures-action.ts';

const help = `
Examples:
  $ haltline signatures results/my-sweep-0123456789ab
  $ haltline signatures results/badchain-0123456789ab results/paa-0123456789ab --monitor llm
  $ haltline signatures results/my-sweep-0123456789ab --out signatures.svg
  $ haltline signatures kept/chains-0123456789ab --labels chains/eic_gsm8k.jsonl
  $ haltline signatures results/my-sweep-0123456789ab --json | jq '.monitors[].reading.right'

Which kinds of error a monitor flags under each attack (the paper's Figure 1), with 95% intervals over questions, and the
reverse: which attack a run's flags look like. The reading is a naive Bayes classifier that is fitted on some questions
and judged on the others (5-fold); its table shows what was read as what. A run without a flag is not read at all.

Where every sweep ran under \`flag\`, each flagged step counts; else the first of a run, since a halted run has no other.
Runs that failed, or with a step that was never judged, are left out and counted. Several folders are put together by
monitor and attack. Labelled chains (\`bench chains --out\`) are counted by data set and, with --labels, by labelled type.

Exit codes: 0 done; 1 an error, or no run that a monitor has judged.`;

export function signaturesCommand(): Command {
  const append = (path: string, paths: readonly string[] | undefined): string[] => [...(paths ?? []), path];
  return new Command('signatures')
    .summary('which errors each attack shows, and which attack a run looks like')
    .description(
      "Prints the signatures of attacks in a monitor's flags, and what attacks can be told from them.",
    )
    .argument('<dirs...>', 'folders of sweeps, or their ids')
    .addOption(flag('--monitor <id>', 'only this monitor; default: all of them'))
    .addOption(
      flag(
        '--flags <which>',
        'the flags of a run that count; default: all if every sweep ran under `flag`',
      ).choices(['first', 'all']),
    )
    .addOption(
      flag('--labels <file>', 'a file of labelled chains that were judged; repeatable').argParser(append),
    )
    .addOption(flag('--seed <n>', 'deals the questions into parts').argParser(parseCount).default(0))
    .addOption(flag('--results-dir <dir>', 'where sweeps that are named by their id lie').default('results'))
    .addOption(flag('--out <file>', 'write a figure there as well, an SVG (.svg)'))
    .addOption(flag('--json', 'print JSON').default(false))
    .addHelpText('after', help)
    .action(async (dirs: readonly string[], flags: SignatureFlags) => {
      const { signatures } = await import('./signatures-action.ts');
      process.exitCode = await signatures(dirs, flags);
    });
}
