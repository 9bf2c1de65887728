import { Command } from 'commander';
import type { SweepSpec } from '../../shared/schemas/sweep-spec.ts';
import { addLayerFlags } from '../layer-flags.ts';
import type { SpecLayer } from '../layer-spec.ts';
import { flag, parsePositive } from '../options.ts';
import { openSession } from '../session.ts';

interface ValidateFlags extends SpecLayer {
  readonly limit?: number;
  readonly json: boolean;
}

const help = `
Examples:
  $ haltline validate sweep.yaml
  $ haltline validate sweep.yaml --limit 5 --json

Reads the spec and its data, plans the sweep, and prints what would run. Nothing is started and no target is asked.`;

export function validateCommand(): Command {
  const command = new Command('validate')
    .summary('check a sweep spec and print what it would run')
    .argument('<spec>', 'the sweep spec, YAML or JSON')
    .addOption(flag('--limit <n>', 'questions of each data set, at most').argParser(parsePositive))
    .addOption(flag('--json', 'print JSON').default(false))
    .addHelpText('after', help);
  return addLayerFlags(command).action(async (path: string, flags: ValidateFlags) => {
    const { loadSpec } = await import('../../producers/load-spec.ts');
    const { layerSpec } = await import('../layer-spec.ts');
    const { prepareSweep } = await import('../prepare-sweep.ts');
    const { unpricedModels } = await import('../../shared/core/spend.ts');
    openSession('validate', { quiet: true });
    const { sweep, plan } = await prepareSweep(layerSpec(await loadSpec(path, process.env), flags), {
      limit: flags.limit,
    });
    const figures = {
      sweep: sweep.id,
      questions: plan.questionCount,
      duplicates: sweep.datasets.reduce((sum, { duplicates }) => sum + duplicates, 0),
      cases: plan.caseCount,
      runs: plan.total,
      targets: plan.targets.map(({ id, config }) => `${id} (${config.model} at ${config.apiBaseUrl})`),
      attacks: sweep.spec.attacks.map(({ id }) => id),
      datasets: sweep.datasets.map(({ id, sample }) => `${id} (${String(sample.length)})`),
      monitors: sweep.spec.monitors.map(({ id }) => id),
      arms: sweep.spec.arms,
      caps: describeCaps(sweep.spec, unpricedModels(sweep.spec)),
    };
    process.stdout.write(flags.json ? `${JSON.stringify(figures, null, 2)}\n` : describe(figures));
  });
}

/** The caps that the spec sets, and what is not priced: a spend cap with an unpriced model has been refused before. */
function describeCaps(spec: SweepSpec, unpriced: readonly string[]): string[] {
  const { maxCost, maxTokens, maxRuns, maxWallTimeMinutes } = spec.limits;
  const caps = [
    maxCost === undefined ? undefined : `${maxCost} spent (limits.maxCost)`,
    maxTokens === undefined ? undefined : `${maxTokens} tokens (limits.maxTokens)`,
    maxRuns === undefined ? undefined : `${maxRuns} runs (limits.maxRuns)`,
    maxWallTimeMinutes === undefined
      ? undefined
      : `${maxWallTimeMinutes} minutes (limits.maxWallTimeMinutes)`,
  ].filter((cap) => cap !== undefined);
  return [
    ...(caps.length === 0 ? ['none'] : caps),
    ...(unpriced.length === 0 ? [] : [`not priced: ${unpriced.join(', ')}`]),
  ];
}

function describe(figures: Readonly<Record<string, string | number | readonly string[]>>): string {
  return Object.entries(figures)
    .map(
      ([name, value]) =>
        `${name.padEnd(11)} ${typeof value === 'object' ? value.join(', ') : String(value)}\n`,
    )
    .join('');
}
