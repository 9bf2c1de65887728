import { Command } from 'commander';
import { flag } from '../options.ts';
import { openSession } from '../session.ts';

const help = `
Examples:
  $ haltline report results/my-sweep-0123456789ab
  $ haltline report results/my-sweep-0123456789ab --layout paper
  $ haltline report results/my-sweep-0123456789ab --json | jq '.rows[].asrWrong.value'

The figures are computed anew from the folder's runs.jsonl: prices mended in its sweep.json count at once.
Exits 1 when the folder holds no run, or none that did not fail.`;

export function reportCommand(): Command {
  return new Command('report')
    .summary('print the figures of a sweep folder')
    .argument('<dir>', 'the folder of one sweep')
    .addOption(flag('--json', 'print the summary as JSON').default(false))
    .addOption(
      flag('--layout <layout>', "as a table an attack, or as the paper's Tables 4 and 5")
        .choices(['attacks', 'paper'])
        .default('attacks'),
    )
    .addHelpText('after', help)
    .action(async (dir: string, { json, layout }: { json: boolean; layout: 'attacks' | 'paper' }) => {
      const { summariseFolder } = await import('../../workers/metrics/summarise-folder.ts');
      const { exitCodeOf, printReport } = await import('../print-report.ts');
      const { findSweepFolder } = await import('../judged-folder.ts');
      openSession('report', { quiet: true });
      await findSweepFolder(dir, '');
      const summary = await summariseFolder(dir);
      printReport(summary, { json, dir, layout });
      process.exitCode = exitCodeOf(summary);
    });
}
