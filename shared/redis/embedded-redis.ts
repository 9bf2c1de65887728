import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { HaltlineError } from '../errors.ts';
import { checkRedis, isClusterNode } from './check-redis.ts';
import { clusterUrl, connectOrExplain, redisOptionsFromUrl, type RedisClient } from './connection.ts';
import { findUnpackedRedis, unpackDebianRedis } from './debian-redis.ts';
import { findRedisServer, withLibraries, type RedisProgram } from './find-redis-server.ts';
import { startGuarded, type GuardedProcess } from './redis-process.ts';

const startTries = 5;
const startLimitMs = 20_000;
const pollMs = 20;

export const installHint =
  'no Redis: set REDIS_URL, or install redis-server (Debian, Ubuntu: `apt-get install redis-server`; macOS: ' +
  '`brew install redis`; anywhere: `docker run -d -p 6379:6379 redis` and REDIS_URL=redis://127.0.0.1:6379)';

export interface EmbeddedRedisOptions {
  readonly cacheDir: string;
  /** Where redis-server is looked for, in the form of PATH. */
  readonly searchPath: string;
  readonly log: Logger;
  /** Whether data outlives a crash of Redis, but for its last second. Default: false. */
  readonly appendonly?: boolean;
  /** Data folder; it stays. Absent: one of its own, removed at the end. */
  readonly dir?: string;
  /** Absent: a free one. */
  readonly port?: number;
}

export interface EmbeddedRedis {
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  readonly pid: number;
  /** Ends it and removes a data folder of its own. May be called again. */
  stop(): Promise<void>;
}

/**
 * A Redis of our own on a loopback port, without a password. It ends with this process, however that ends.
 *
 * @throws HaltlineError `REDIS_UNAVAILABLE`: no redis-server can be had (one line says what to install), or it won't start
 */
export async function startEmbeddedRedis(options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
  const program = await obtainProgram(options);
  let problem = '';
  for (let attempt = 1; attempt <= startTries; attempt += 1) {
    const port = options.port ?? (await choosePort());
    const started = await tryStart(program, port, options);
    if (typeof started !== 'string') {
      const { version, path } = program;
      options.log.debug({ event: 'redis-started', port, version, path }, 'embedded redis started');
      return started;
    }
    problem = started;
    // Another process took the port between our look and the start.
    if (options.port !== undefined || !/in use/i.test(problem)) break;
  }
  throw new HaltlineError('REDIS_UNAVAILABLE', `${program.path} does not start: ${problem}`);
}

export interface ObtainedRedis {
  readonly url: string;
  readonly embedded: boolean;
  /** Ends an embedded Redis; leaves one of REDIS_URL alone. */
  stop(): Promise<void>;
}

/**
 * The Redis of REDIS_URL, checked; without one, an embedded Redis. Where REDIS_URL names one node of a cluster, the URL
 * that comes back names the cluster.
 *
 * @throws HaltlineError `REDIS_UNAVAILABLE` or `REDIS_UNSUITABLE`, one line
 */
export async function obtainRedis({ config, log }: { config: Config; log: Logger }): Promise<ObtainedRedis> {
  const { redisUrl, cacheDir, searchPath } = config;
  if (redisUrl === undefined) {
    const redis = await startEmbeddedRedis({ cacheDir, searchPath, log });
    return { url: redis.url, embedded: true, stop: () => redis.stop() };
  }
  const url = (await isNodeOfCluster(redisUrl)) ? clusterUrl(redisUrl) : redisUrl;
  await withConnection(url, checkRedis);
  return { url, embedded: false, stop: () => Promise.resolve() };
}

async function isNodeOfCluster(url: string): Promise<boolean> {
  return redisOptionsFromUrl(url).seeds === undefined && withConnection(url, isClusterNode);
}

async function withConnection<Answer>(
  url: string,
  ask: (redis: RedisClient) => Promise<Answer>,
): Promise<Answer> {
  const redis = await connectOrExplain(redisOptionsFromUrl(url), 'commands');
  try {
    return await ask(redis);
  } finally {
    redis.disconnect();
  }
}

async function obtainProgram({ cacheDir, searchPath, log }: EmbeddedRedisOptions): Promise<RedisProgram> {
  const program =
    process.platform === 'win32'
      ? undefined
      : ((await findRedisServer(searchPath)) ??
        (await findUnpackedRedis(cacheDir)) ??
        (await unpackDebianRedis(cacheDir, log)));
  if (program === undefined) throw new HaltlineError('REDIS_UNAVAILABLE', installHint);
  return program;
}

/** @returns the running Redis, or why it didn't start */
async function tryStart(
  program: RedisProgram,
  port: number,
  options: EmbeddedRedisOptions,
): Promise<EmbeddedRedis | string> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'haltline-redis-')));
  const outputFile = join(dir, 'redis.log');
  const command = [program.path, ...redisArguments(port, dir, options.appendonly ?? false)] as const;
  const guarded = await startGuarded(withLibraries([...command], program.libraryPath), {
    outputFile,
    ...(options.dir === undefined ? { removeDir: dir } : {}),
  });
  if (await answersAs(guarded, port)) {
    return { url: `redis://127.0.0.1:${port}`, port, dir, pid: guarded.pid, stop: () => guarded.stop() };
  }
  const output = await readFile(outputFile, 'utf8').catch(() => '');
  await guarded.stop();
  return describeOutput(output);
}

function redisArguments(port: number, dir: string, appendonly: boolean): string[] {
  return [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', ''],
    ...['--appendonly', appendonly ? 'yes' : 'no', '--maxmemory-policy', 'noeviction'],
  ];
}

/** Waits until the port is answered by this very process: on a lost race another Redis may sit there. */
async function answersAs(guarded: GuardedProcess, port: number): Promise<boolean> {
  const deadlineMs = Date.now() + startLimitMs;
  while (!guarded.hasEnded() && Date.now() < deadlineMs) {
    if ((await processIdAt(port)) === guarded.pid) return true;
    await sleep(pollMs);
  }
  return false;
}

/** undefined while nothing answers there; ready only once the data is loaded. */
async function processIdAt(port: number): Promise<number | undefined> {
  const redis = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    retryStrategy: null,
    connectTimeout: 1_000,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    const pid = /^process_id:(\d+)/m.exec(await redis.info('server'))?.[1];
    return pid === undefined ? undefined : Number(pid);
  } catch {
    return undefined;
  } finally {
    redis.disconnect();
  }
}

/**
 * Below the range that systems give to outgoing connections. Within it, a client that tries to reach a dead Redis can be
 * given that very port as its own, and ends up connected to itself.
 */
async function choosePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}

/** Its last warning, without time and process id. */
function describeOutput(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const warning = lines.findLast(
    (line) => / # /.test(line) && /fail|could not|error|fatal|can't|in use/i.test(line),
  );
  const line = lines.find((candidate) => /in use/i.test(candidate)) ?? warning ?? lines.at(-1) ?? 'no output';
  return line.replace(/^.* # /, '').trim();
}
