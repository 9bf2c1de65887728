import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { folderWith, startCommand } from '../support/run-command.ts';

const figuresSchema = z.object({ sweep: z.string(), runs: z.number(), attacks: z.array(z.string()) });
const spec = `
name: small
targets: [{ id: a, config: { apiBaseUrl: "http://127.0.0.1:1/v1", model: m } }]
attacks: [badchain, paa, { id: late, name: paa, parameters: { position: before } }]
datasets: [{ id: arithmetic, limit: 2 }, { id: commonsense, limit: 2 }]
arms: [attacked]
`;

async function validate(args: readonly string[], env: Record<string, string> = {}) {
  const cwd = await folderWith({ 's.yaml': spec });
  return startCommand(['validate', 's.yaml', '--json', ...args], { cwd, env }).ended;
}

async function figures(args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout } = await validate(args, env);
  expect(code).toBe(0);
  return figuresSchema.parse(JSON.parse(stdout));
}

describe('flags laid over a spec', { timeout: 120_000 }, () => {
  it('take a part of it, which is a sweep of its own; the variable says the same', async () => {
    const whole = await figures([]);
    const part = await figures(['--filter-attack', 'late', '--filter-attack', 'badchain']);
    const variable = await figures([], { HALTLINE_FILTER_ATTACK: 'badchain, late' });
    expect(whole.runs).toBe(12);
    expect(part).toMatchObject({ runs: 8, attacks: ['badchain', 'late'] });
    expect(part.sweep).not.toBe(whole.sweep);
    expect(variable).toEqual(part);
  });

  it('change what orders the plan, and with it the id; how fast it runs is not in it', async () => {
    const whole = await figures([]);
    expect((await figures(['--seed', '9'])).sweep).not.toBe(whole.sweep);
    expect(await figures(['--repeat', '3', '--filter-dataset', 'commonsense'])).toMatchObject({ runs: 18 });
    expect((await figures(['--concurrency', '3'])).sweep).toBe(whole.sweep);
  });

  it('name an id that is not there, and the nearest', async () => {
    const { code, stderr } = await validate(['--filter-dataset', 'arithmetics']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'haltline: --filter-dataset: got "arithmetics", expected one of arithmetic, commonsense (did you mean arithmetic?)\n',
    });
  });
});
