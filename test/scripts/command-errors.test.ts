import { describe, expect, it } from 'vitest';
import { closedPort, listenOnLoopback } from '../../scripts/loopback-ports.ts';
import { folderWith, startCommand } from '../support/run-command.ts';

const question = (id: string): string =>
  JSON.stringify({ id, dataset: 'd', question: `What is ${id}?`, answer: '1' });

function spec(more: { port?: number; key?: string; data?: string; extra?: string } = {}): string {
  const key = more.key === undefined ? '' : `, apiKeyEnv: ${more.key}`;
  return `
name: small
targets:
  - id: a
    config: { apiBaseUrl: "http://127.0.0.1:${String(more.port ?? 1)}/v1", model: m${key} }
attacks: [badchain]
datasets: [{ id: own, path: ${more.data ?? 'data.jsonl'} }]
${more.extra ?? ''}`;
}

/** What a command that fails at once has to say: one line on standard error, nothing on standard output, exit code 1. */
async function complaint(
  args: readonly string[],
  { files = {}, env = {} }: { files?: Record<string, string>; env?: Record<string, string> } = {},
): Promise<string> {
  const cwd = await folderWith({ 'data.jsonl': `${question('1')}\n`, ...files });
  const { code, stdout, stderr } = await startCommand(args, { cwd, env }).ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  const lines = stderr.split('\n').filter((line) => !line.startsWith('haltline: sweep '));
  expect(lines).toEqual([expect.stringMatching(/^haltline: /), '']);
  return lines[0] ?? '';
}

describe('the command says in one line, and exits 1,', { timeout: 120_000 }, () => {
  it('that a key of the spec is unknown', async () => {
    const line = await complaint(['validate', 's.yaml'], { files: { 's.yaml': spec({ extra: 'sede: 1' }) } });
    expect(line).toMatch(
      /^haltline: s\.yaml: sede: unknown key, expected one of .* \(did you mean seed\?\)$/,
    );
  });

  it('that a data file is missing', async () => {
    const line = await complaint(['run', 's.yaml'], { files: { 's.yaml': spec({ data: 'none.jsonl' }) } });
    expect(line).toMatch(/^haltline: s\.yaml: data file .*none\.jsonl: no such file$/);
  });

  it('which line of a data file is not JSON', async () => {
    const files = { 's.yaml': spec(), 'data.jsonl': `${question('1')}\n${question('2')}\n{"id": \n` };
    expect(await complaint(['run', 's.yaml'], { files })).toMatch(/data\.jsonl line 3: not JSON$/);
  });

  it('that an API key is not set', async () => {
    const line = await complaint(['run', 's.yaml'], { files: { 's.yaml': spec({ key: 'NO_SUCH_KEY' }) } });
    expect(line).toContain('targets[0].config.apiKeyEnv: NO_SUCH_KEY is not set');
  });

  it('that a target refuses connections', async () => {
    const port = await closedPort();
    const line = await complaint(['run', 's.yaml'], { files: { 's.yaml': spec({ port }) } });
    expect(line).toBe(
      `haltline: target a at 127.0.0.1:${String(port)} cannot be reached: the connection is refused; is the server running?`,
    );
  });

  it('that no Redis answers where REDIS_URL says', async () => {
    const { server, port } = await listenOnLoopback();
    const redis = await closedPort();
    const files = { 's.yaml': spec({ port }) };
    const env = { REDIS_URL: `redis://127.0.0.1:${String(redis)}` };
    expect(await complaint(['run', 's.yaml'], { files, env })).toContain(
      `no usable Redis at 127.0.0.1:${String(redis)}`,
    );
    server.close();
  });

  it('that no Redis can be had at all', async () => {
    const { server, port } = await listenOnLoopback();
    const cwd = await folderWith({});
    const env = { PATH: '', HALTLINE_CACHE_DIR: cwd };
    const line = await complaint(['run', 's.yaml'], { files: { 's.yaml': spec({ port }) }, env });
    expect(line).toMatch(/^haltline: no Redis: set REDIS_URL, or install redis-server/);
    server.close();
  });

  it('that a worker needs REDIS_URL', async () => {
    expect(await complaint(['worker', 'monitor'])).toContain('REDIS_URL is not set');
  });

  it('that a variable of the environment is unusable', async () => {
    const line = await complaint(['worker', 'metrics'], { env: { HALTLINE_METRICS_PORT: 'http' } });
    expect(line).toBe('haltline: HALTLINE_METRICS_PORT="http": expected a port number, 0 to 65535');
  });

  it('that a folder holds no sweep', async () => {
    expect(await complaint(['report', '.'])).toContain('no sweep.json');
  });

  it('that a flag is unknown, and which was meant', async () => {
    expect(await complaint(['run', 's.yaml', '--limt', '3'])).toMatch(
      /unknown option '--limt' \(Did you mean --limit\?\)$/,
    );
  });

  it('that a flag takes a number, given as its variable too', async () => {
    const line = await complaint(['run', 's.yaml'], { env: { HALTLINE_LIMIT: 'few' } });
    expect(line).toContain("'few' from env 'HALTLINE_LIMIT' is invalid. Expected a whole number, 0 or more.");
  });

  it('that a setting of the simulator is unusable', async () => {
    expect(await complaint(['simulate', '--error-share', '2'])).toBe(
      'haltline: errorShare: got 2, expected at most 1',
    );
  });
});

describe('the command', { timeout: 120_000 }, () => {
  it('teaches with examples, and names the variable of every flag', async () => {
    const cwd = await folderWith({});
    for (const verb of [[], ['run'], ['demo'], ['validate'], ['worker'], ['simulate'], ['report']]) {
      const { code, stdout } = await startCommand([...verb, '--help'], { cwd }).ended;
      expect(code).toBe(0);
      if (verb[0] !== 'demo') expect(stdout).toContain('Examples:');
      const flags = [...stdout.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name = '']) => name);
      for (const name of flags) {
        const variable = `HALTLINE_${name.toUpperCase().replaceAll('-', '_')}`;
        expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`env: ${variable}`);
      }
    }
  });

  it('prints what a spec would run', async () => {
    const cwd = await folderWith({
      's.yaml': spec(),
      'data.jsonl': `${question('1')}\n${question('2')}\n${question('2')}\n`,
    });
    const { code, stdout } = await startCommand(['validate', 's.yaml', '--json'], { cwd }).ended;
    expect(code).toBe(0);
    // clean, attacked, control, guarded, guarded-clean for each of 2 questions
    expect(JSON.parse(stdout)).toMatchObject({
      questions: 2,
      duplicates: 1,
      cases: 2,
      runs: 10,
      attacks: ['badchain'],
      caps: ['none', expect.stringMatching(/^not priced: /)],
    });
  });
});
