import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../shared/config.ts';
import { findRedisServer, withLibraries } from '../../shared/redis/find-redis-server.ts';
import { startGuarded } from '../../shared/redis/redis-process.ts';
import { summarySchema } from '../../shared/schemas/summary.ts';
import { createSimulator } from '../../scripts/simulator/create-simulator.ts';
import { closedPort } from '../../scripts/loopback-ports.ts';
import { hasOpenssl, makeCertificates } from '../support/certificates.ts';
import { readRunLines, startHaltline, temporaryFolder, writeSpec } from '../support/processes.ts';

const password = 'p@ss/word%1';
/** The line of SECURITY.md: what Haltline may do, and nothing else. */
const aclLine = /^ACL SETUSER haltline .*$/m.exec(readFileSync('SECURITY.md', 'utf8'))?.[0] ?? '';

interface TlsRedis {
  /** With the user and its password. */
  readonly url: string;
  readonly ca: string;
  /** As administrator. */
  readonly admin: Redis;
}

/** undefined: this redis-server was built without TLS. */
async function startTlsRedis(): Promise<TlsRedis | undefined> {
  const program = await findRedisServer(loadConfig(process.env).searchPath);
  if (!program) return undefined;
  const dir = mkdtempSync(join(tmpdir(), 'haltline-tls-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const { ca, cert, key } = makeCertificates(dir);
  const port = await closedPort();
  const command = [
    ...[program.path, '--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '--dir', dir],
    ...['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', ca, '--tls-auth-clients', 'no'],
    ...['--save', '', '--maxmemory-policy', 'noeviction'],
  ] as const;
  const outputFile = join(dir, 'redis.log');
  const guarded = await startGuarded(withLibraries([...command], program.libraryPath), { outputFile });
  onTestFinished(() => guarded.stop());
  const admin = new Redis({
    host: 'localhost',
    port,
    tls: { ca: readFileSync(ca) },
    retryStrategy: () => 50,
  });
  admin.on('error', () => undefined);
  onTestFinished(() => admin.disconnect());
  await expect.poll(() => admin.status === 'ready' || guarded.hasEnded(), { timeout: 20_000 }).toBe(true);
  if (guarded.hasEnded()) return undefined;
  const [, ...words] = aclLine.replace('PASSWORD', password).split(' ');
  await admin.call('ACL', ...words);
  await admin.call('ACL', 'SETUSER', 'default', 'nopass');
  return { url: `rediss://haltline:${encodeURIComponent(password)}@localhost:${String(port)}`, ca, admin };
}

test.skipIf(!hasOpenssl)(
  'a sweep runs over TLS as a user that may do no more than SECURITY.md says (needs openssl on PATH)',
  { timeout: 120_000 },
  async ({ skip }) => {
    const redis = await startTlsRedis();
    if (!redis) return skip('this redis-server speaks no TLS');
    const simulator = await createSimulator();
    onTestFinished(() => simulator.close());
    const dir = await temporaryFolder();
    const spec = await writeSpec(dir, {
      name: 'tls',
      targets: [{ id: 'sim', config: { apiBaseUrl: simulator.url, model: 'sim-reasoner' } }],
      attacks: ['badchain'],
      datasets: [{ id: 'arithmetic', limit: 6 }],
      arms: ['clean', 'attacked', 'guarded'],
    });
    const env = { REDIS_URL: redis.url, HALTLINE_RESULTS_DIR: dir, HALTLINE_METRICS_PORT: '0' };
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: redis.ca };
    const run = startHaltline(['run', spec, '--json', '--generation', '1', '--monitor', '1'], trusting);
    expect(await run.ended, run.stderr()).toBe(0);
    const summary = summarySchema.parse(JSON.parse(run.stdout()));
    const lines = await readRunLines(join(dir, summary.sweep, 'runs.jsonl'));
    expect(lines.length).toBe(summary.counts.total);
    const doctor = startHaltline(['doctor'], trusting);
    expect(await doctor.ended, doctor.stdout() + doctor.stderr()).toBe(0);
    // All that it was refused: asking for the configuration, which INFO tells as well.
    const refused = JSON.stringify(await redis.admin.call('ACL', 'LOG'));
    expect([...new Set(refused.match(/"object","[^"]*"/g))]).toEqual(['"object","config|get"']);

    const stranger = startHaltline(['doctor'], env);
    expect(await stranger.ended).toBe(1);
    expect(stranger.stdout()).toMatch(/no usable Redis at localhost:\d+: .*certificate/);
    expect(stranger.stdout() + stranger.stderr()).not.toContain(encodeURIComponent(password));
  },
);

test.skipIf(!hasOpenssl)(
  'the user of SECURITY.md reaches no key of others, and no command of an administrator (needs openssl on PATH)',
  { timeout: 60_000 },
  async ({ skip }) => {
    const redis = await startTlsRedis();
    if (!redis) return skip('this redis-server speaks no TLS');
    const user = new Redis(redis.url, { tls: { ca: readFileSync(redis.ca) } });
    onTestFinished(() => user.disconnect());
    await expect(user.set('hl:mine', '1')).resolves.toBe('OK');
    for (const forbidden of [
      () => user.set('theirs', '1'),
      () => user.flushall(),
      () => user.keys('*'),
      () => user.config('SET', 'maxmemory-policy', 'allkeys-lru'),
      () => user.call('ACL', 'LIST'),
      () => user.publish('theirs', 'x'),
      () => user.call('SHUTDOWN'),
    ])
      await expect(forbidden()).rejects.toThrow(/NOPERM/);
  },
);
