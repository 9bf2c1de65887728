import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../../shared/config.ts';
import { createRedis, redisOptionsFromUrl } from '../../../shared/redis/connection.ts';
import { librariesIn } from '../../../shared/redis/debian-redis.ts';
import { obtainRedis, startEmbeddedRedis, type EmbeddedRedis } from '../../../shared/redis/embedded-redis.ts';
import { findRedisServer } from '../../../shared/redis/find-redis-server.ts';
import { closedPort } from '../../../scripts/loopback-ports.ts';
import { ownRedis } from '../../support/redis.ts';
import { silentLog } from '../../support/silent-log.ts';

const config = loadConfig(process.env);
const root = fileURLToPath(new URL('../../..', import.meta.url));

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'haltline-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function start(options: { port?: number } = {}): Promise<EmbeddedRedis> {
  const { cacheDir, searchPath } = config;
  const redis = await startEmbeddedRedis({ cacheDir, searchPath, log: silentLog, ...options });
  onTestFinished(() => redis.stop());
  return redis;
}

async function configOf(url: string, name: string): Promise<unknown> {
  const redis = createRedis(redisOptionsFromUrl(url), 'commands');
  onTestFinished(() => redis.disconnect());
  return redis.config('GET', name);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Looks until it holds; the test's own time limit bounds it. */
async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('startEmbeddedRedis', () => {
  test('it listens on loopback only, keeps nothing on disk and never evicts', async () => {
    const { url } = await start();
    expect(await configOf(url, 'bind')).toEqual(['bind', '127.0.0.1']);
    expect(await configOf(url, 'save')).toEqual(['save', '']);
    expect(await configOf(url, 'appendonly')).toEqual(['appendonly', 'no']);
    expect(await configOf(url, 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
  });

  test('stop ends the server and removes its folder, and may be called twice', async () => {
    const redis = await start();
    expect(existsSync(redis.dir)).toBe(true);
    expect(isAlive(redis.pid)).toBe(true);
    await Promise.all([redis.stop(), redis.stop()]);
    expect(isAlive(redis.pid)).toBe(false);
    expect(existsSync(redis.dir)).toBe(false);
    await redis.stop();
  });

  test('several start side by side, each on a port of its own', async () => {
    const servers = await Promise.all([start(), start(), start()]);
    expect(new Set(servers.map((server) => server.port)).size).toBe(3);
  });

  test('a server that was killed leaves no folder once stopped', async () => {
    const redis = await start();
    process.kill(redis.pid, 'SIGKILL');
    await redis.stop();
    expect(existsSync(redis.dir)).toBe(false);
  });

  test('a frozen server is ended by force', async () => {
    const redis = await start();
    process.kill(redis.pid, 'SIGSTOP');
    await redis.stop();
    expect(isAlive(redis.pid)).toBe(false);
  });

  test('a port that another Redis holds is refused with the reason, not mistaken for ours', async () => {
    const first = await start();
    await expect(start({ port: first.port })).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    await expect(start({ port: first.port })).rejects.toThrow(/in use/i);
  });

  test('with appendonly, data outlives kill -9 of the server', async () => {
    const server = await ownRedis({ appendonly: true });
    const redis = createRedis(redisOptionsFromUrl(server.url), 'commands');
    onTestFinished(() => redis.disconnect());
    await redis.config('SET', 'appendfsync', 'always');
    await redis.set('key', 'value');
    const firstPid = server.pid;
    process.kill(firstPid, 'SIGKILL');
    await server.restart();
    expect(server.pid).not.toBe(firstPid);
    expect(await redis.get('key')).toBe('value');
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)('no server is left after its parent got %s', async (signal) => {
    const script = `
      import { pino } from 'pino';
      import { loadConfig } from './shared/config.ts';
      import { startEmbeddedRedis } from './shared/redis/embedded-redis.ts';
      const { cacheDir, searchPath } = loadConfig(process.env);
      const redis = await startEmbeddedRedis({ cacheDir, searchPath, log: pino({ level: 'silent' }) });
      console.log(JSON.stringify([redis.pid, redis.dir]));
      setInterval(() => {}, 1000);
    `;
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const line: unknown[] = await once(createInterface({ input: parent.stdout }), 'line');
    const [pid, dir] = z.tuple([z.int(), z.string()]).parse(JSON.parse(String(line[0])));
    expect(isAlive(pid)).toBe(true);
    parent.kill(signal);
    await eventually(() => !isAlive(pid) && !existsSync(dir));
    expect(isAlive(pid)).toBe(false);
  });
});

describe('findRedisServer', () => {
  test('empty, non-executable, foreign and failing files are passed over for the next folder', async () => {
    const real = await findRedisServer(config.searchPath);
    const broken = await temporaryFolder();
    await writeFile(join(broken, 'redis-server'), '');
    await chmod(join(broken, 'redis-server'), 0o755);
    await writeFile(join(broken, 'valkey-server'), '#!/bin/sh\necho "Valkey server v=8.0.1"\n');
    expect(await findRedisServer(broken)).toBeUndefined();
    await writeFile(join(broken, 'redis-server'), '#!/bin/sh\nexit 1\n');
    expect(await findRedisServer(broken)).toBeUndefined();
    expect(await findRedisServer(`${broken}${delimiter}${config.searchPath}`)).toEqual(real);
  });

  test('valkey-server is taken, one that is too old is not', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'valkey-server');
    await writeFile(path, '#!/bin/sh\necho "Valkey server v=8.0.1 sha=00000000:0"\n', { mode: 0o755 });
    await writeFile(join(folder, 'redis-server'), '#!/bin/sh\necho "Redis server v=5.0.7 sha=0"\n', {
      mode: 0o755,
    });
    expect(await findRedisServer(folder)).toEqual({ path, version: '8.0.1' });
  });

  test('relative parts of the search path are skipped', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'redis-server'), '#!/bin/sh\necho "Redis server v=7.0.0"\n', {
      mode: 0o755,
    });
    const relative = join('..', folder.slice(dirname(root).length));
    expect(await findRedisServer(`.${delimiter}${delimiter}${relative}`)).toBeUndefined();
  });
});

describe('librariesIn', () => {
  test('libraries are taken, of alternatives the first, the C library and programs not', () => {
    const reply = [
      'redis-tools',
      '  Depends: adduser',
      '  Depends: libatomic1',
      '  Depends: libc6',
      ' |Depends: libsystemd0',
      '  Depends: libelogind0',
      '  PreDepends: libjemalloc2',
      '  Depends: <libvirtual>',
      '  Breaks: libold1',
      'redis-server',
      '  Depends: libatomic1',
      '  Depends: libssl3t64',
      '    libprovider1',
    ].join('\n');
    expect(librariesIn(reply)).toEqual(['libatomic1', 'libsystemd0', 'libjemalloc2', 'libssl3t64']);
  });

  test('an empty reply names none', () => {
    expect(librariesIn('')).toEqual([]);
  });
});

describe('obtainRedis', () => {
  test('the Redis of REDIS_URL is used, and left running', async () => {
    const server = await start();
    const obtained = await obtainRedis({ config: { ...config, redisUrl: server.url }, log: silentLog });
    expect(obtained).toMatchObject({ url: server.url, embedded: false });
    await obtained.stop();
    expect(isAlive(server.pid)).toBe(true);
  });

  test('a REDIS_URL where nothing listens is no reason to start another one', async () => {
    const port = await closedPort();
    const redisUrl = `redis://127.0.0.1:${port}`;
    await expect(obtainRedis({ config: { ...config, redisUrl }, log: silentLog })).rejects.toMatchObject({
      code: 'REDIS_UNAVAILABLE',
      message: `no usable Redis at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  test('without REDIS_URL a Redis is started, and ended by stop', async () => {
    const withoutUrl = loadConfig({ ...process.env, REDIS_URL: '' });
    const obtained = await obtainRedis({ config: withoutUrl, log: silentLog });
    expect(obtained.embedded).toBe(true);
    expect(await configOf(obtained.url, 'save')).toEqual(['save', '']);
    await obtained.stop();
    await expect(
      obtainRedis({ config: { ...config, redisUrl: obtained.url }, log: silentLog }),
    ).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
  });
});
