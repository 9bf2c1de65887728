import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { checkHealth } from '../../scripts/deploy/check-health.ts';
import { startHealthServer } from '../../shared/observability/health-server.ts';
import { closedPort } from '../../scripts/loopback-ports.ts';

const host = '127.0.0.1';

test('a worker is healthy while it says that it is ready, and the check tells why it is not', async () => {
  let why: string | undefined = 'Redis is not reachable';
  const server = await startHealthServer({ host, port: 0 }, { unready: () => why });
  onTestFinished(() => server.close());
  const check = (): Promise<void> => checkHealth({ healthHost: host, healthPort: server.port });
  await expect(check()).rejects.toThrow(/answered 503: Redis is not reachable/);
  why = undefined;
  await expect(check()).resolves.toBeUndefined();
});

test.each(['0.0.0.0', '::'])(
  'the check shows its token to a worker that listens on %s',
  async (everywhere) => {
    const httpToken = 'a-token-of-many-letters';
    const address = { host: everywhere, port: 0, token: httpToken };
    const server = await startHealthServer(address, { unready: () => undefined });
    onTestFinished(() => server.close());
    const asked = { healthHost: everywhere, healthPort: server.port };
    await expect(checkHealth({ ...asked, httpToken })).resolves.toBeUndefined();
    await expect(checkHealth(asked)).rejects.toThrow('answered 401');
  },
);

test('a worker that is not there, or was given no port, is unhealthy', async () => {
  await expect(checkHealth({ healthHost: host, healthPort: await closedPort() })).rejects.toThrow();
  await expect(checkHealth({ healthHost: host })).rejects.toThrow('HALTLINE_HEALTH_PORT is not set');
});

test('liveness is told apart from readiness', async () => {
  const server = await startHealthServer({ host, port: 0 }, { unready: () => 'starting' });
  onTestFinished(() => server.close());
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return { status: response.status, text: await response.text() };
  };
  expect(await ask('/livez')).toEqual({ status: 200, text: 'live\n' });
  expect(await ask('/readyz')).toEqual({ status: 503, text: 'starting\n' });
  expect((await ask('/other')).status).toBe(404);
});

test('what the worker has under way is served for Prometheus', async () => {
  const samples = () => [
    { name: 'haltline_generation_paused', labels: { reason: 'backlog' }, value: 1 } as const,
  ];
  const server = await startHealthServer({ host, port: 0 }, { unready: () => undefined, samples });
  onTestFinished(() => server.close());
  const response = await fetch(`http://127.0.0.1:${server.port}/metrics`);
  expect(await response.text()).toContain('haltline_generation_paused{reason="backlog"} 1');
});

test('a port that is taken is named', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(startHealthServer({ host, port }, { unready: () => undefined })).rejects.toThrow(
    `health port ${port}`,
  );
});
