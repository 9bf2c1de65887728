import { request as requestHttp } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { simulateCommand } from '../../scripts/commands/simulate.ts';
import { workerCommand } from '../../scripts/commands/worker.ts';
import { createSimulator } from '../../scripts/simulator/create-simulator.ts';
import { requestRefusal, unsafeListening } from '../../shared/core/http-guard.ts';
import { isEqualSecret } from '../../shared/hash.ts';
import { startHealthServer } from '../../shared/observability/health-server.ts';
import { redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { createKeys } from '../../shared/redis/keys.ts';
import { startMetricsWorker } from '../../workers/metrics/main.ts';
import { temporaryFolder } from '../support/processes.ts';
import { testRedis } from '../support/redis.ts';
import { silentLog } from '../support/silent-log.ts';

const token = 'a-token-of-many-letters';

/** The status of an answer to GET with these headers: `fetch` lets nobody set Host. */
function statusOf(port: number, path: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = requestHttp({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject).end();
  });
}

async function metricsPort(host: string, given?: string): Promise<number> {
  const { url, prefix } = testRedis();
  const options = { redis: redisOptionsFromUrl(url), keys: createKeys(prefix), log: silentLog, port: 0 };
  const worker = await startMetricsWorker({
    ...{ ...options, host, token: given, resultsDir: await temporaryFolder() },
  });
  onTestFinished(() => worker.close());
  return worker.port;
}

test.each(['0.0.0.0', '::', '10.0.0.1', 'example.org', '127.0.0.1.example.org'])(
  'listening on %s takes a token',
  (host) => {
    expect(unsafeListening({ host })).toMatch(/HALTLINE_HTTP_TOKEN/);
    expect(unsafeListening({ host, token: '' })).toMatch(/HALTLINE_HTTP_TOKEN/);
    expect(unsafeListening({ host, token })).toBeUndefined();
  },
);

test.each(['127.0.0.1', '127.8.0.1', 'localhost', '::1'])('%s is loopback', (host) => {
  expect(unsafeListening({ host })).toBeUndefined();
  const guard = { host, isEqual: isEqualSecret };
  expect(requestRefusal(guard, { host: `${host.includes(':') ? `[${host}]` : host}:80` })).toBeUndefined();
  expect(requestRefusal(guard, { host: 'evil.example:80' })?.status).toBe(403);
  expect(requestRefusal(guard, {})?.status).toBe(403);
});

describe('the metrics worker', () => {
  test('does not listen for everybody without a token', async () => {
    await expect(metricsPort('0.0.0.0')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('answers 401 to who has no token or another one', async () => {
    const port = await metricsPort('0.0.0.0', token);
    const paths = ['/metrics', '/healthz', '/readyz', '/sweeps/x/summary.json'];
    for (const path of paths) expect(await statusOf(port, path)).toBe(401);
    for (const wrong of [`Bearer ${token}x`, `Bearer ${token.slice(1)}`, token, 'Bearer '])
      expect(await statusOf(port, '/metrics', { authorization: wrong })).toBe(401);
    expect(await statusOf(port, '/metrics', { authorization: `Bearer ${token}` })).toBe(200);
  });

  test('on loopback, gives nothing to a web page whose name leads there', async () => {
    const port = await metricsPort('127.0.0.1');
    expect(await statusOf(port, '/metrics', { host: 'evil.example' })).toBe(403);
    expect(await statusOf(port, '/metrics')).toBe(200);
  });
});

test('a health server gives nothing to a web page whose name leads there', async () => {
  const server = await startHealthServer({ host: '127.0.0.1', port: 0 }, { unready: () => undefined });
  onTestFinished(() => server.close());
  expect(await statusOf(server.port, '/metrics', { host: 'evil.example' })).toBe(403);
  expect(await statusOf(server.port, '/livez')).toBe(200);
});

test('a health server that others reach asks for the token on every path, and does not start without', async () => {
  const source = { unready: () => undefined };
  await expect(startHealthServer({ host: '0.0.0.0', port: 0 }, source)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
  const server = await startHealthServer({ host: '0.0.0.0', port: 0, token }, source);
  onTestFinished(() => server.close());
  for (const path of ['/livez', '/readyz', '/metrics', '/other']) {
    expect(await statusOf(server.port, path)).toBe(401);
    expect(await statusOf(server.port, path, { authorization: 'Bearer another' })).toBe(401);
  }
  expect(await statusOf(server.port, '/metrics', { authorization: `Bearer ${token}` })).toBe(200);
});

test('the commands that serve over HTTP name the variable of the token in their help', () => {
  for (const command of [workerCommand(), ...workerCommand().commands, simulateCommand()]) {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    expect(help, command.name()).toContain('HALTLINE_HTTP_TOKEN');
  }
});

test('a simulator that others reach asks for its token as the API key', async () => {
  await expect(createSimulator({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  const simulator = await createSimulator({ host: '0.0.0.0', token });
  onTestFinished(() => simulator.close());
  expect(await statusOf(simulator.port, '/v1/models')).toBe(401);
  expect(await statusOf(simulator.port, '/v1/models', { authorization: `Bearer ${token}` })).toBe(200);
});
