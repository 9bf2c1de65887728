import { createServer } from 'node:http';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import {
  checkMetrics,
  checkWorker,
  isWorkerHeard,
  parseRedisClient,
} from '../../scripts/deploy/check-health.ts';
import { createRedis, redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { closedPort } from '../support/ports.ts';
import { ownRedis } from '../support/redis.ts';

const self = parseRedisClient(
  'id=9 addr=172.18.0.5:40000 laddr=172.18.0.2:6379 fd=8 name=haltline-producer age=0 idle=0',
);

test('a line of CLIENT LIST gives address, name and idle time', () => {
  expect(self).toEqual({ host: '172.18.0.5', name: 'haltline-producer', idleSeconds: 0 });
  expect(parseRedisClient('addr=[fd00::5]:40000 name= idle=12').host).toBe('[fd00::5]');
  expect(parseRedisClient('rubbish')).toEqual({ host: '', name: '', idleSeconds: Infinity });
});

test.each([
  ['a worker of this container that polls', '172.18.0.5', 'haltline-commands', 1, true],
  ['a worker of another container', '172.18.0.6', 'haltline-commands', 1, false],
  ['a worker that hangs', '172.18.0.5', 'haltline-commands', 21, false],
  ['the check itself', '172.18.0.5', 'haltline-producer', 0, false],
])('%s: heard or not', (_, host, name, idleSeconds, expected) => {
  expect(isWorkerHeard([{ host, name, idleSeconds }], self)).toBe(expected);
});

test('a worker is healthy while it holds its connection, and not before or after', async () => {
  const { url } = await ownRedis();
  const check = (): Promise<void> => checkWorker({ redisUrl: url });
  await expect(check()).rejects.toThrow('heard nothing');
  const worker = createRedis(redisOptionsFromUrl(url), 'commands');
  await worker.ping();
  await expect(check()).resolves.toBeUndefined();
  worker.disconnect();
  await untilGone(url, 'haltline-commands');
  await expect(check()).rejects.toThrow('heard nothing');
});

async function untilGone(url: string, name: string): Promise<void> {
  const redis = new Redis(url);
  onTestFinished(() => redis.disconnect());
  await expect.poll(async () => String(await redis.call('CLIENT', 'LIST'))).not.toContain(`name=${name}`);
}

test('a metrics worker is healthy when it answers', async () => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/healthz' ? 200 : 404;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  await expect(checkMetrics({ metricsPort: address.port })).resolves.toBeUndefined();
  await expect(checkMetrics({ metricsPort: await closedPort() })).rejects.toThrow();
});
