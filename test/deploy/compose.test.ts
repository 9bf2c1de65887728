import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { runCommand } from '../../scripts/commands/run.ts';
import { workerCommand } from '../../scripts/commands/worker.ts';
import { environmentSchema } from '../../shared/config.ts';

const serviceSchema = z.object({
  image: z.string(),
  build: z.exactOptional(z.string()),
  entrypoint: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  container_name: z.exactOptional(z.string()),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string().nullable()).default({}),
  env_file: z.array(z.object({ path: z.string(), required: z.boolean() })).default([]),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  depends_on: z.exactOptional(z.unknown()),
  restart: z.string(),
  user: z.string(),
  read_only: z.boolean(),
  healthcheck: z.object({ test: z.array(z.string()).default([]), disable: z.boolean().default(false) }),
});
const composeSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.unknown()),
});

const { services, volumes } = composeSchema.parse(
  parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }),
);
const entries = Object.entries(services);
const ours = entries.filter(([, { build }]) => build !== undefined);
const dockerfile = readFileSync('Dockerfile', 'utf8');

function service(name: string): z.infer<typeof serviceSchema> {
  const found = services[name];
  if (found === undefined) throw new Error(`no service ${name}`);
  return found;
}

/** The value after a flag of redis-server. */
function redisFlag(name: string): string | undefined {
  const { command } = service('redis');
  const at = command.indexOf(name);
  return at === -1 ? undefined : command[at + 1];
}

test('Haltline, its Redis and Prometheus start by themselves; the producer and Grafana when asked for', () => {
  const always = entries.filter(([, { profiles }]) => profiles.length === 0).map(([name]) => name);
  expect(always.sort()).toEqual(['generation', 'metrics', 'monitor', 'prometheus', 'redis']);
  expect(service('producer').profiles).toEqual(['producer']);
  expect(service('grafana').profiles).toEqual(['dashboards']);
});

test('workers can be scaled: they have no host port, no volume and no name of their own', () => {
  for (const name of ['generation', 'monitor']) {
    const { ports, volumes: mounted, container_name: containerName } = service(name);
    expect({ name, ports, mounted, containerName }).toEqual({
      name,
      ports: [],
      mounted: [],
      containerName: undefined,
    });
  }
});

test('running the producer leaves the scaled workers alone', () => {
  expect(JSON.stringify(service('producer').depends_on)).not.toMatch(/generation|monitor/);
});

test('what is published is published on loopback only, and Redis is not published', () => {
  for (const [, { ports }] of entries) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  expect(service('redis').ports).toEqual([]);
});

test('Redis never evicts, has a limit, and loses at most its last second', () => {
  expect(redisFlag('--maxmemory-policy')).toBe('noeviction');
  expect(redisFlag('--maxmemory')).toMatch(/\d+[mg]b/);
  expect(redisFlag('--appendonly')).toBe('yes');
  expect(redisFlag('--appendfsync')).toBe('everysec');
  expect(service('redis').volumes).toEqual(['redis:/data']);
});

test('no container runs as root, and none can write to its own file system', () => {
  for (const [name, { user, read_only: readOnly }] of entries) {
    expect({ name, readOnly, root: /^(0|root)?(:|$)/.test(user) }).toEqual({
      name,
      readOnly: true,
      root: false,
    });
  }
  expect(dockerfile.match(/^USER .*/gm)).toEqual(['USER node']);
});

test('every container that stays is watched and started again', () => {
  for (const [name, { healthcheck, restart }] of entries) {
    if (name === 'producer') continue;
    expect({ name, restart, checks: healthcheck.test[0] }).toEqual({
      name,
      restart: 'unless-stopped',
      checks: 'CMD',
    });
  }
});

test('the health checks of our containers are scripts that a build holds', () => {
  for (const [name, { healthcheck }] of ours) {
    if (healthcheck.disable) continue;
    const [, program, script = ''] = healthcheck.test;
    expect(program).toBe('node');
    expect(existsSync(script.replace(/^dist\//, '').replace(/\.js$/, '.ts'))).toBe(true);
    expect(service(name).environment.HALTLINE_HEALTH_PORT).toMatch(/^\d+$/);
  }
});

test('the image runs the command, and every service a verb that the command has', () => {
  expect(dockerfile).toContain('ENTRYPOINT ["node", "dist/scripts/haltline.js"]');
  const kinds = subcommands(workerCommand());
  for (const name of ['generation', 'monitor', 'metrics']) {
    expect(service(name).command).toEqual([workerCommand().name(), name]);
    expect(kinds).toContain(name);
  }
  const flags = runCommand().options.map(({ long }) => long);
  expect(flags).toContain('--no-workers');
});

function subcommands(command: Command): string[] {
  return command.commands.map((child) => child.name());
}

test('variables that are set are variables that Haltline reads', () => {
  const known = new Set(Object.keys(environmentSchema.shape));
  for (const [, { environment }] of ours) {
    for (const name of Object.keys(environment)) if (name !== 'OPENAI_API_KEY') expect(known).toContain(name);
  }
});

test('API keys are passed by name, never by value, and only to what needs them', () => {
  for (const name of ['generation', 'monitor', 'producer']) {
    expect(service(name).environment.OPENAI_API_KEY).toBeNull();
    expect(service(name).env_file).toEqual([{ path: '.env', required: false }]);
  }
  const others = entries.filter(([name]) => !['generation', 'monitor', 'producer'].includes(name));
  for (const [, { environment, env_file: files }] of others) {
    expect(environment).not.toHaveProperty('OPENAI_API_KEY');
    expect(files).toEqual([]);
  }
  expect(readFileSync('.dockerignore', 'utf8')).toMatch(/^\*$/m);
  expect(readFileSync('.gitignore', 'utf8')).toMatch(/^\.env$/m);
});

const scrapes = z
  .object({
    scrape_configs: z.array(
      z.object({
        authorization: z.object({ credentials_file: z.string() }),
        dns_sd_configs: z.tuple([
          z.object({ names: z.tuple([z.string()]), type: z.literal('A'), port: z.number() }),
        ]),
      }),
    ),
  })
  .parse(parse(readFileSync('scripts/deploy/prometheus.yml', 'utf8')))
  .scrape_configs.map(({ authorization, dns_sd_configs: [{ names, port }] }) => ({
    ...{ name: names[0], port, tokenFile: authorization.credentials_file },
  }));

test('each worker listens where Prometheus looks, and is found by the name of its service', () => {
  const { environment: ofMetrics } = service('metrics');
  expect(ofMetrics.HALTLINE_METRICS_HOST).toBe('0.0.0.0');
  const expected: Record<string, string | null | undefined> = { metrics: ofMetrics.HALTLINE_METRICS_PORT };
  for (const name of ['generation', 'monitor']) {
    const { environment } = service(name);
    expect(environment.HALTLINE_HEALTH_HOST).toBe('0.0.0.0');
    expected[name] = environment.HALTLINE_HEALTH_PORT;
  }
  expect(Object.fromEntries(scrapes.map(({ name, port }) => [name, String(port)]))).toEqual(expected);
});

test('what is reached from elsewhere asks for one token, and Prometheus is given the same', () => {
  const asked = '${HALTLINE_HTTP_TOKEN:-none}';
  for (const name of ['generation', 'monitor', 'metrics', 'prometheus'])
    expect({ name, token: service(name).environment.HALTLINE_HTTP_TOKEN }).toEqual({ name, token: asked });
  for (const [name, { environment }] of ours)
    if (/^(?!127\.)/.test(environment.HALTLINE_HEALTH_HOST ?? '127.'))
      expect(environment, name).toHaveProperty('HALTLINE_HTTP_TOKEN');
});

test('the command of Prometheus writes the token to a file of its own, in memory, where its scrapes look', () => {
  const { entrypoint, command, tmpfs } = service('prometheus');
  expect(entrypoint).toEqual(['/bin/sh', '-c']);
  const folder = mkdtempSync(join(tmpdir(), 'haltline-token-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [memory = ''] = tmpfs[0]?.split(':') ?? [];
  const [line = ''] = command;
  const here = line
    .replaceAll('$$', '$')
    .replace(memory, folder)
    .replace('/bin/prometheus', 'printf "%s|" "[$HALTLINE_HTTP_TOKEN]"');
  const token = `with "quotes', $HOME and spaces`;
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', here], {
    encoding: 'utf8',
    env: { HALTLINE_HTTP_TOKEN: token },
  });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^\[\]\|--config\.file=\/etc\/prometheus\/prometheus\.yml\|--storage/);
  const written = join(folder, 'http-token');
  expect(readFileSync(written, 'utf8')).toBe(token);
  expect(statSync(written).mode & 0o777).toBe(0o600);
  for (const { tokenFile } of scrapes) expect(tokenFile).toBe(`${memory}/http-token`);
});

test('figures are published where they are served, and results go to a volume that keeps', () => {
  const { environment, ports, volumes: mounted } = service('metrics');
  expect(ports[0]).toMatch(new RegExp(`:${String(environment.HALTLINE_METRICS_PORT)}$`));
  expect(mounted).toEqual([`results:${String(environment.HALTLINE_RESULTS_DIR)}`]);
});

test('named volumes are declared, and mounted files are there', () => {
  for (const [, { volumes: mounted }] of entries) {
    for (const volume of mounted) {
      const source = volume.split(':')[0] ?? '';
      if (source === './specs') continue; // the user's own
      if (source.startsWith('./')) expect(existsSync(source), source).toBe(true);
      else expect(Object.keys(volumes)).toContain(source);
    }
  }
});
