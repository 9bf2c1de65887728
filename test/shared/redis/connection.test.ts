import { once } from 'node:events';
import { Writable } from 'node:stream';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkRedis } from '../../../shared/redis/check-redis.ts';
import {
  clusterUrl,
  connectOrExplain,
  createRedis,
  redisOptionsFromUrl,
  type RedisRole,
  type RedisClient,
} from '../../../shared/redis/connection.ts';
import { closedPort, listenOnLoopback } from '../../../scripts/loopback-ports.ts';
import { ownRedis, testRedis } from '../../support/redis.ts';

function open(url: string, role: RedisRole, log?: pino.Logger): RedisClient {
  const redis = createRedis(redisOptionsFromUrl(url), role, log);
  onTestFinished(() => redis.disconnect());
  return redis;
}

/** A logger whose events can be read back. */
function recordingLog(): { log: pino.Logger; events: string[] } {
  const events: string[] = [];
  const sink = new Writable({
    write(line: Buffer, _encoding, done) {
      events.push(/"event":"([^"]*)"/.exec(line.toString())?.[1] ?? '');
      done();
    },
  });
  return { log: pino(sink), events };
}

describe('redisOptionsFromUrl', () => {
  test('a bare host gets the default port and database', () => {
    expect(redisOptionsFromUrl('redis://cache')).toEqual({ host: 'cache', port: 6379, db: 0 });
  });

  test('user, percent-encoded password, port and database are read', () => {
    expect(redisOptionsFromUrl('redis://me:p%40ss%2Fword@cache:6380/3')).toEqual({
      host: 'cache',
      port: 6380,
      db: 3,
      username: 'me',
      password: 'p@ss/word',
    });
  });

  test('a password needs no user', () => {
    expect(redisOptionsFromUrl('redis://:secret@cache/')).toEqual({
      host: 'cache',
      port: 6379,
      db: 0,
      password: 'secret',
    });
  });

  test('rediss means TLS', () => {
    expect(redisOptionsFromUrl('rediss://cache:6380')).toEqual({ host: 'cache', port: 6380, db: 0, tls: {} });
  });

  test('an IPv6 address loses its brackets', () => {
    expect(redisOptionsFromUrl('redis://[::1]:7000')).toEqual({ host: '::1', port: 7000, db: 0 });
  });

  test('hosts with commas between them, or a comma after the one, are nodes of a cluster', () => {
    expect(redisOptionsFromUrl('rediss://me:a,b@one:7000,[::1]:7001,three/0')).toEqual({
      ...{ host: 'one', port: 7_000, db: 0, username: 'me', password: 'a,b', tls: {} },
      seeds: [
        { host: 'one', port: 7_000 },
        { host: '::1', port: 7_001 },
        { host: 'three', port: 6_379 },
      ],
    });
    expect(redisOptionsFromUrl('redis://one,')).toEqual({
      ...{ host: 'one', port: 6_379, db: 0 },
      seeds: [{ host: 'one', port: 6_379 }],
    });
    expect(redisOptionsFromUrl(clusterUrl('redis://a:b@one:1/0'))).toMatchObject({
      seeds: [{ host: 'one', port: 1 }],
    });
    expect(() => redisOptionsFromUrl('redis://one,two/1')).toThrow(/a cluster has no database but 0/);
  });

  test.each([
    ['', 'cannot be read'],
    ['localhost:6379', 'begins otherwise'],
    ['http://u:hunter2@cache', 'begins otherwise'],
    ['redis://u:hunter2@cache/zero', 'path is not a database number'],
    ['redis://u:hunter2/x@cache', 'cannot be read'],
    ['redis://u:hunter2@cache/1?ssl=true', 'query'],
    ['redis://u:hunter2%zz@cache', 'password is not percent-encoded'],
    ['redis:///0', 'no host'],
  ])('%j is refused in one line that keeps the password', (url, problem) => {
    let message = '';
    try {
      redisOptionsFromUrl(url);
    } catch (error) {
      expect(error).toMatchObject({ name: 'HaltlineError', code: 'CONFIG_INVALID' });
      message = error instanceof Error ? error.message : '';
    }
    expect(message).toContain(problem);
    expect(message).not.toContain('hunter2');
    expect(message).not.toContain('\n');
  });
});

describe('connectOrExplain', () => {
  test('a refused connection is one line with address and reason, without user and password', async () => {
    const port = await closedPort();
    const options = redisOptionsFromUrl(`redis://me:hunter2@127.0.0.1:${port}`);
    await expect(connectOrExplain(options, 'commands', { timeoutMs: 300 })).rejects.toMatchObject({
      code: 'REDIS_UNAVAILABLE',
      message: `no usable Redis at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  test('a server that never answers is given up', async () => {
    const { port, server } = await listenOnLoopback();
    onTestFinished(() => void server.close());
    const options = redisOptionsFromUrl(`redis://127.0.0.1:${port}`);
    await expect(connectOrExplain(options, 'commands', { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'REDIS_UNAVAILABLE',
      message: `no usable Redis at 127.0.0.1:${port}: no answer within 200 ms`,
    });
  });

  test('a Redis that comes up a moment later is waited for', async () => {
    const server = await ownRedis();
    await server.stop();
    const connecting = connectOrExplain(redisOptionsFromUrl(server.url), 'commands', { timeoutMs: 20_000 });
    await server.restart();
    const redis = await connecting;
    onTestFinished(() => redis.disconnect());
    expect(await redis.ping()).toBe('PONG');
  });

  test('a wrong password is refused without its text', async () => {
    const server = await ownRedis();
    await open(server.url, 'commands').config('SET', 'requirepass', 'right');
    const options = redisOptionsFromUrl(server.url.replace('//', '//:hunter2@'));
    const failure = connectOrExplain(options, 'commands', { timeoutMs: 20_000 });
    await expect(failure).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    await expect(failure).rejects.toThrow(/WRONGPASS/);
    await expect(failure).rejects.not.toThrow(/hunter2/);
  });
});

describe('createRedis', () => {
  test('a command given during an outage is answered after it, and the outage is logged once', async () => {
    const server = await ownRedis();
    const { log, events } = recordingLog();
    const redis = open(server.url, 'commands', log);
    await redis.ping();
    const errors: Error[] = [];
    const thirdError = new Promise<void>((resolve) => {
      redis.on('error', (error: Error) => {
        if (errors.push(error) === 3) resolve();
      });
    });
    process.kill(server.pid, 'SIGKILL');
    await once(redis, 'close');
    const answer = redis.set('key', 'value');
    await thirdError;
    await server.restart();
    expect(await answer).toBe('OK');
    expect(events).toEqual(['redis-lost', 'redis-back']);
  });

  test('a producer fails at once while Redis is away', async () => {
    const server = await ownRedis();
    const redis = open(server.url, 'producer');
    await once(redis, 'ready');
    expect(await redis.ping()).toBe('PONG');
    await server.stop();
    if (redis.status === 'ready') await once(redis, 'close');
    await expect(redis.ping()).rejects.toThrow(/enableOfflineQueue/);
  });

  test('BullMQ works over these connections, blocking ones included', async () => {
    const { url, prefix } = testRedis();
    const queue = new Queue('numbers', { connection: open(url, 'producer'), prefix });
    const worker = new Worker('numbers', () => Promise.resolve(42), {
      connection: open(url, 'commands'),
      prefix,
    });
    const events = new QueueEvents('numbers', { connection: open(url, 'blocking'), prefix });
    onTestFinished(async () => {
      await Promise.all([worker.close(), events.close(), queue.close()]);
    });
    await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
    const job = await queue.add('number', {});
    expect(await job.waitUntilFinished(events, 20_000)).toBe(42);
  });
});

describe('checkRedis', () => {
  test('an embedded Redis passes', async () => {
    const server = await ownRedis();
    await expect(checkRedis(open(server.url, 'commands'))).resolves.toBeUndefined();
  });

  test('a Redis that evicts is refused with the command that mends it, and passes after that command', async () => {
    const server = await ownRedis();
    const redis = open(server.url, 'commands');
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(checkRedis(redis)).rejects.toMatchObject({ code: 'REDIS_UNSUITABLE' });
    await expect(checkRedis(redis)).rejects.toThrow(/allkeys-lru.*CONFIG SET maxmemory-policy noeviction/);
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    await expect(checkRedis(redis)).resolves.toBeUndefined();
  });

  test('where CONFIG is forbidden, INFO tells the policy', async () => {
    const server = await ownRedis();
    const admin = open(server.url, 'commands');
    await admin.acl('SETUSER', 'tenant', 'on', '>pw', '~*', '&*', '+@all', '-config');
    const tenant = open(server.url.replace('//', '//tenant:pw@'), 'commands');
    await expect(tenant.config('GET', 'maxmemory-policy')).rejects.toThrow(/NOPERM/);
    await expect(checkRedis(tenant)).resolves.toBeUndefined();
    await admin.config('SET', 'maxmemory-policy', 'volatile-ttl');
    await expect(checkRedis(tenant)).rejects.toThrow(/volatile-ttl/);
  });
});
