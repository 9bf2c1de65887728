import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findImporter } from '../../producers/datasets/importers/importers.ts';
import { publicSets } from '../../producers/datasets/addresses.ts';
import { describeParameters } from '../../producers/describe-parameters.ts';
import { folderWith, startCommand } from '../support/run-command.ts';

const listedSchema = z.array(
  z.object({
    name: z.string(),
    summary: z.string().min(1),
    parameters: z.array(z.object({ name: z.string() })),
  }),
);

async function listed(kind: string) {
  const { code, stdout } = await startCommand(['list', kind, '--json'], { cwd: await folderWith({}) }).ended;
  expect(code).toBe(0);
  return listedSchema.parse(JSON.parse(stdout));
}

describe('settings are described', () => {
  it('by name, type, default and whether they are required, nested ones by their full names', () => {
    const schema = z.strictObject({
      size: z.int().default(3).describe('How large'),
      kind: z.enum(['a', 'b']),
      server: z.strictObject({ url: z.string(), key: z.exactOptional(z.string()) }),
    });
    expect(describeParameters(schema)).toEqual([
      { name: 'size', type: 'whole number', isRequired: false, default: 3, description: 'How large' },
      { name: 'kind', type: 'a | b', isRequired: true, description: '' },
      { name: 'server.url', type: 'text', isRequired: true, description: '' },
      { name: 'server.key', type: 'text', isRequired: false, description: '' },
    ]);
  });

  it('of a schema that takes no mapping, by nothing', () => {
    expect(describeParameters(z.string())).toEqual([]);
  });
});

describe('public data sets', () => {
  it.each(publicSets.map((set) => [set.name, set] as const))(
    '%s has an importer and a safe address',
    (_, set) => {
      expect(findImporter(set.format)?.name).toBe(set.format);
      expect(new URL(set.url).protocol).toBe('https:');
      expect(set.sha256 ?? '0'.repeat(64)).toMatch(/^[0-9a-f]{64}$/);
    },
  );
});

describe('haltline list', { timeout: 120_000 }, () => {
  it('has every attack with its parameters', async () => {
    const attacks = await listed('attacks');
    expect(attacks.map(({ name }) => name)).toEqual(['badchain', 'deadlock', 'overthink', 'paa']);
    expect(attacks[0]?.parameters.map(({ name }) => name)).toContain('trigger');
  });

  it('has every monitor, with a summary', async () => {
    const monitors = await listed('monitors');
    expect(monitors.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['rules', 'llm', 'cascade', 'vanilla']),
    );
  });

  it('has the built-in data sets with their sizes, and where public ones lie', async () => {
    const cwd = await folderWith({});
    const { stdout } = await startCommand(['list', 'datasets'], { cwd }).ended;
    expect(stdout).toMatch(/^arithmetic +built in, 60 questions$/m);
    expect(stdout).toMatch(/^gsm8k .*haltline dataset fetch gsm8k/m);
  });

  it('names what can be listed when asked for something else', async () => {
    const { code, stderr } = await startCommand(['list', 'models'], { cwd: await folderWith({}) }).ended;
    expect(code).toBe(1);
    expect(stderr).toContain('Allowed choices are attacks, datasets, monitors.');
  });
});
