import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { builtInPath } from '../../producers/datasets/load-questions.ts';
import { createSimulator } from '../../scripts/simulator/create-simulator.ts';
import { folderWith, startCommand } from '../support/run-command.ts';

const share = z.object({ value: z.number().optional(), n: z.number() });
const reportSchema = z.object({
  basis: z.string(),
  monitors: z.array(
    z.object({
      monitor: z.string(),
      simulated: z.object({ chains: z.boolean(), verdicts: z.boolean() }),
      classes: z.array(z.object({ name: z.string(), runs: z.number(), shares: z.record(z.string(), share) })),
      reading: z.object({
        right: share.optional(),
        classes: z
          .array(z.object({ className: z.string(), readAs: z.record(z.string(), z.number()) }))
          .optional(),
      }),
    }),
  ),
});

const summarySchema = z.object({ sweep: z.string(), simulated: z.boolean() });

it(
  'a simulated sweep of two attacks shows the signature of each, and tells one from the other on held-out questions',
  { timeout: 240_000 },
  async () => {
    const simulator = await createSimulator({ answerFiles: [builtInPath('arithmetic')] });
    onTestFinished(() => simulator.close());
    const config = (model: string) => `{ apiBaseUrl: "${simulator.url}", model: ${model} }`;
    const cwd = await folderWith({
      's.yaml': `
name: two
targets:
  - { id: t, reasoning: visible, decoding: { maxTokens: 400 }, config: ${config('sim-reasoner-backdoored')} }
attacks: [badchain, deadlock]
datasets: [{ id: arithmetic, limit: 12 }]
arms: [guarded, guarded-clean]
monitors: [rules, { id: judge, name: llm, config: ${config('sim-monitor')} }]
intervention: flag
`,
    });
    const run = await startCommand(['run', 's.yaml', '--json'], { cwd }).ended;
    expect(run.code, run.stderr).toBe(0);
    const { sweep } = summarySchema.parse(JSON.parse(run.stdout));
    const signatures = (...more: string[]) => startCommand(['signatures', sweep, ...more], { cwd }).ended;

    const { code, stdout, stderr } = await signatures('--json');
    expect(code, stderr).toBe(0);
    const { basis, monitors } = reportSchema.parse(JSON.parse(stdout));
    expect(basis).toBe('all');
    const [judge, rules] = monitors;
    expect(judge).toMatchObject({ monitor: 'judge', simulated: { chains: true, verdicts: true } });
    expect(rules).toMatchObject({ monitor: 'rules', simulated: { chains: true, verdicts: false } });
    expect(rules?.classes.map(({ name }) => name)).toEqual(['badchain', 'deadlock', 'no attack']);
    const [badchain, deadlock, clean] = rules?.classes ?? [];
    expect(badchain?.shares['3b']?.value).toBeGreaterThan(0.5);
    expect(deadlock?.shares['3a']?.value).toBeGreaterThan(0.5);
    expect(clean?.runs).toBe(24);
    expect(rules?.reading.right?.value).toBeGreaterThan(0.7);
    expect(rules?.reading.classes?.[1]?.readAs['deadlock']).toBeGreaterThan(0);

    const table = await signatures('--monitor', 'rules', '--out', 'figure.svg');
    expect(table.stdout).toMatch(/^SIMULATED: /);
    expect(table.stdout).toContain('this monitor can only give');
    expect(table.stdout).toContain('published, NOT COMPARABLE (ours are simulated)');
    expect(table.stdout).not.toContain('monitor judge');
    expect(await readFile(join(cwd, 'figure.svg'), 'utf8')).toContain('SIMULATED: these runs come');
    const report = await startCommand(['report', join('results', sweep)], { cwd }).ended;
    expect(report.stdout).toContain('SIMULATED MONITOR: the verdicts of judge come from the simulator');
    expect((await signatures('--monitor', 'oracle')).stderr).toBe(
      'haltline: --monitor oracle: expected one of rules, judge\n',
    );
    expect((await signatures('--out', 'runs.jsonl')).stderr).toMatch(/expected a name that ends in \.svg\n$/);
    expect((await signatures(join('results', sweep))).stderr).toMatch(
      /the same sweep as .*, expected each once\n$/,
    );
    expect((await signatures('nowhere')).stderr).toMatch(
      /^haltline: no sweep\.json in nowhere, nor in [^\n]*\n$/,
    );
  },
);
