import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createLogger, cutUrlPasswords, type LoggerOptions } from '../../../shared/observability/logger.ts';
import { ownRedis } from '../../support/redis.ts';

/** A logger into a file of the test's own, and what stands there. */
async function fileLogger(options: Partial<LoggerOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'haltline-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const destination = join(folder, 'log');
  const log = createLogger({ level: 'info', format: 'json', name: 'test', ...options, destination });
  return { log, text: () => readFile(destination, 'utf8') };
}

test('a line is JSON with the level as a word, the name and an ISO time', async () => {
  const { log, text } = await fileLogger();
  log.info({ event: 'run-started', runId: 'r1' }, 'run started');
  log.debug({ event: 'step-completed' }, 'below the level');
  const line = z.record(z.string(), z.unknown()).parse(JSON.parse(await text()));
  expect(line).toMatchObject({
    level: 'info',
    name: 'test',
    event: 'run-started',
    runId: 'r1',
    msg: 'run started',
  });
  expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT/);
});

test.each(['json', 'pretty'] as const)(
  'secrets are cut in %s, by name and within URLs, in children too',
  async (format) => {
    const { log, text } = await fileLogger({ format, color: false });
    const child = log.child({ worker: 'generation', apiKey: 'hunter2' });
    child.info(
      { password: 'hunter2', headers: { authorization: 'Bearer hunter2', 'x-api-key': 'hunter2' } },
      'a',
    );
    child.info({ request: { options: { api_key: 'hunter2' } }, url: 'redis://me:hunter2@host:1/0' }, 'b');
    child.warn({ err: new Error('cannot reach rediss://:hunter2@host') }, 'at redis://u:hunter2@host');
    const lines = await text();
    expect(lines).not.toContain('hunter2');
    expect(lines).toContain('redis://me:***@host:1/0');
    expect(lines).toContain('[redacted]');
  },
);

test('the password in the failed AUTH command of a Redis error is cut', async () => {
  const server = await ownRedis();
  const { log, text } = await fileLogger();
  const redis = new Redis(server.port, '127.0.0.1');
  onTestFinished(() => redis.disconnect());
  await redis.config('SET', 'requirepass', 'right');
  const error = await redis.auth('hunter2').catch((reason: unknown) => reason);
  expect(JSON.stringify(error)).toContain('hunter2');
  log.warn({ err: error }, 'refused');
  expect(await text()).toContain('WRONGPASS');
  expect(await text()).not.toContain('hunter2');
});

test('text without a password in a URL is left as it is', () => {
  for (const line of [
    'at 10:30 me@example.com wrote',
    'http://host:80/a@b',
    'redis://host:6379/0',
    'a://b:c d@e',
  ]) {
    expect(cutUrlPasswords(line)).toBe(line);
  }
});
