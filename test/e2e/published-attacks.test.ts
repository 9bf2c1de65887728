import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createSimulator } from '../../scripts/simulator/create-simulator.ts';
import { type Summary, summarySchema } from '../../shared/schemas/summary.ts';
import { dataDir, hasData } from '../support/processes.ts';
import { folderWith, startCommand } from '../support/run-command.ts';

const demonstrations = join(dataDir, 'attacks', 'badchain_demonstrations.jsonl');
const setSchema = z.object({ id: z.string(), trigger: z.exactOptional(z.string()) });

/** Clean and attacked runs of attack entries over one file of questions, which is all that the simulator knows. */
async function sweep(
  attacks: readonly object[],
  dataset: { id: string; path: string; limit: number; extractor?: string },
): Promise<Summary> {
  const simulator = await createSimulator({ answerFiles: [dataset.path] });
  onTestFinished(() => simulator.close());
  const spec = {
    name: 'published',
    targets: [
      {
        id: 'sim',
        config: { apiBaseUrl: simulator.url, model: 'sim-instruct' },
        decoding: { maxTokens: 800 },
      },
    ],
    attacks,
    datasets: [dataset],
    arms: ['clean', 'attacked'],
  };
  const cwd = await folderWith({ 'spec.json': JSON.stringify(spec) });
  const end = await startCommand(['run', 'spec.json', '--json'], { cwd }).ended;
  expect(end.code, end.stderr).toBe(0);
  return summarySchema.parse(JSON.parse(end.stdout));
}

test.skipIf(!hasData)(
  'each of the 36 published demonstration sets runs as an attack entry of its own',
  { timeout: 300_000 },
  async () => {
    const text = await readFile(demonstrations, 'utf8');
    const sets = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => setSchema.parse(JSON.parse(line)));
    expect(sets).toHaveLength(36);
    const attacks = sets.map(({ id, trigger }, index) => ({
      id: `set-${String(index)}`,
      name: 'badchain',
      parameters: { demonstrationsFile: demonstrations, demonstrationsSet: id, ...(trigger && { trigger }) },
    }));
    const path = join(dataDir, 'questions', 'gsm8k_test.jsonl');
    const summary = await sweep(attacks, { id: 'gsm8k', path, limit: 2 });
    expect(Object.keys(summary.counts.outcomes)).not.toContain('failed');
    const attacked = summary.rows.filter(({ arm }) => arm === 'attacked');
    expect(attacked.map(({ n }) => n)).toEqual(sets.map(() => 2));
  },
);

test.skipIf(!hasData)(
  'overthink runs on the 100 published SQuAD rows, 97 of them distinct, with their passages',
  { timeout: 300_000 },
  async () => {
    const path = join(dataDir, 'attacks', 'overthink_squad.jsonl');
    const summary = await sweep([{ id: 'overthink', name: 'overthink' }], {
      id: 'squad',
      path,
      limit: 100,
      extractor: 'span',
    });
    const attacked = summary.rows.find(({ arm }) => arm === 'attacked');
    // Three of the 100 rows repeat another's question and passage: they are asked once.
    expect(attacked?.n).toBe(97);
    expect(attacked?.taf?.value).toBeGreaterThan(2);
    expect(summary.rows.find(({ arm }) => arm === 'clean')?.hitLimit?.value).toBe(0);
  },
);
