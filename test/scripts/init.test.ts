import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { loadSpec } from '../../producers/load-spec.ts';
import { createSimulator } from '../../scripts/simulator/create-simulator.ts';
import { buildStarterSpec } from '../../scripts/starter-spec.ts';
import { summarySchema } from '../../shared/schemas/summary.ts';
import { folderWith, startCommand } from '../support/run-command.ts';

const options = { schemaPath: 'sweep-spec.schema.json', simulated: false };

async function loadStarter(environment: Record<string, string>, simulated = false) {
  const folder = await folderWith({ 's.yaml': buildStarterSpec(environment, { ...options, simulated }) });
  return (await loadSpec(join(folder, 's.yaml'), environment)).spec;
}

describe('a starter spec', () => {
  it('targets a server of this machine where no variable names another, and asks for no key', async () => {
    const [target] = (await loadStarter({})).targets;
    expect(target?.config).toMatchObject({ apiBaseUrl: 'http://127.0.0.1:8000/v1', model: 'Qwen/Qwen3-8B' });
    expect(target?.config.apiKeyEnv).toBeUndefined();
  });

  it('targets what the variables of OpenAI clients name, and holds the name of the key alone', async () => {
    const environment = {
      OPENAI_BASE_URL: 'https://models.example/v1',
      OPENAI_MODEL: 'org/${odd} "name"',
      OPENAI_API_KEY: 'sk-not-to-be-written',
    };
    const [target] = (await loadStarter(environment)).targets;
    expect(target?.config).toMatchObject({
      apiBaseUrl: 'https://models.example/v1',
      model: 'org/${odd} "name"',
      apiKeyEnv: 'OPENAI_API_KEY',
    });
    expect(buildStarterSpec(environment, options)).not.toContain('sk-not');
  });

  it('leaves an address with a password in the environment', async () => {
    const environment = { OPENAI_BASE_URL: 'https://user:swordfish@models.example/v1' };
    expect(buildStarterSpec(environment, options)).not.toContain('swordfish');
    // There it cannot be used either, and that is said without it.
    await expect(loadStarter(environment)).rejects.toThrow(/expected no user and password in the address/);
    await expect(loadStarter(environment)).rejects.not.toThrow(/swordfish/);
  });

  it('targets simulated models where asked to, whatever the variables say', async () => {
    const spec = await loadStarter({ OPENAI_BASE_URL: 'https://models.example/v1' }, true);
    expect(spec.targets.map(({ config }) => config.model)).toEqual([
      'sim-instruct',
      'sim-reasoner-backdoored',
    ]);
  });
});

describe('haltline init', { timeout: 240_000 }, () => {
  it('writes a spec that editors can check, names the next commands, and overwrites nothing unasked', async () => {
    const cwd = await folderWith({});
    const first = await startCommand(['init'], { cwd }).ended;
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('haltline validate sweep.yaml\n');
    const text = await readFile(join(cwd, 'sweep.yaml'), 'utf8');
    const schema = /^# yaml-language-server: \$schema=(.*)$/m.exec(text)?.[1] ?? '';
    const title: unknown = JSON.parse(await readFile(resolve(cwd, schema), 'utf8'));
    expect(title).toMatchObject({ title: 'Haltline sweep spec' });

    await writeFile(join(cwd, 'sweep.yaml'), 'mine');
    const again = await startCommand(['init'], { cwd }).ended;
    expect(again).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'haltline: sweep.yaml: exists already; --force overwrites it\n',
    });
    expect(await readFile(join(cwd, 'sweep.yaml'), 'utf8')).toBe('mine');
    expect((await startCommand(['init', '--force'], { cwd }).ended).code).toBe(0);
    expect(parse(await readFile(join(cwd, 'sweep.yaml'), 'utf8'))).toMatchObject({ name: 'first-sweep' });
  });

  it('writes a simulated spec that runs as it is', async () => {
    const simulator = await createSimulator({});
    onTestFinished(() => simulator.close());
    const cwd = await folderWith({});
    const { stdout } = await startCommand(['init', 's.yaml', '--simulated'], { cwd }).ended;
    expect(stdout).toMatch(/haltline simulate --port 8000 .*arithmetic\.jsonl/);
    const text = await readFile(join(cwd, 's.yaml'), 'utf8');
    // Any port may be taken on a machine that runs tests.
    await writeFile(join(cwd, 's.yaml'), text.replaceAll('http://127.0.0.1:8000/v1', simulator.url));
    const { code, stdout: json } = await startCommand(['run', 's.yaml', '--limit', '1', '--json'], { cwd })
      .ended;
    expect(code).toBe(0);
    expect(summarySchema.parse(JSON.parse(json))).toMatchObject({ complete: true, simulated: true });
  });
});
