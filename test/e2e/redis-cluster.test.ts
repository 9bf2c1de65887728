import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createKeys } from '../../shared/redis/keys.ts';
import { summarySchema } from '../../shared/schemas/summary.ts';
import { hasOpenssl, makeCertificates } from '../support/certificates.ts';
import { type HaltlineProcess, readRunLines, startHaltline, temporaryFolder } from '../support/processes.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import { prepareSweep, type SweepProcesses } from '../support/sweep-processes.ts';

const builtIn = fileURLToPath(new URL('../../producers/datasets/built-in/arithmetic.jsonl', import.meta.url));
const plan = {
  name: 'cluster',
  attacks: ['badchain', 'deadlock'],
  datasets: [{ id: 'arithmetic', path: builtIn, limit: 8 }],
  more: { arms: ['clean', 'attacked', 'guarded', 'guarded-clean'] },
};
const fleet = ['generation', 'generation', 'monitor', 'monitor', 'metrics', 'metrics'] as const;

test('a sweep runs on a Redis Cluster, and doctor sees its nodes', { timeout: 120_000 }, async () => {
  const cluster = await startRedisCluster();
  // The one node's URL is enough: it says that it is a cluster's.
  const sweep = await prepareSweep(`redis://127.0.0.1:${String(cluster.nodes[4]?.port)}`, {}, plan);
  for (const kind of fleet) sweep.startWorker(kind);
  await endsWhole(sweep, sweep.produce());
  for (const { redis } of cluster.nodes.slice(0, 3)) {
    expect(await redis.info('commandstats'), 'each master has run scripts').toContain('cmdstat_evalsha:');
  }
  const doctor = startHaltline(['doctor'], { REDIS_URL: cluster.url });
  expect(await doctor.ended, doctor.stdout()).toBe(0);
  expect(doctor.stdout()).toMatch(/redis +[\d.]+, cluster of 6 nodes, noeviction/);
});

test(
  'the master of a busy queue is killed in the middle of a sweep: no run is lost, none is twice in the file',
  { timeout: 120_000 },
  async () => {
    const cluster = await startRedisCluster();
    const sweep = await prepareSweep(cluster.url, { tokensPerSecond: 120 }, plan);
    for (const kind of fleet) sweep.startWorker(kind);
    const producer = sweep.produce();
    await expect
      .poll(() => sweep.simulator.requests().length, { timeout: 60_000, interval: 20 })
      .toBeGreaterThanOrEqual(30);
    await cluster.killMasterOf(`hl:${createKeys('hl').generationQueue('instruct')}:wait`);
    expect(producer.child.exitCode, 'the sweep goes on after the failover').toBeNull();
    await endsWhole(sweep, producer);
  },
);

/** What stands where: jobs of one target, and all that is of the sweep (results on their way to disk, done marks). */
const lostParts = {
  'the jobs of a target': () => `hl:${createKeys('hl').generationQueue('instruct')}:wait`,
  'the results and marks of the sweep': (sweep: string) => createKeys('hl').sweep(sweep).results,
};

test.each(['the jobs of a target', 'the results and marks of the sweep'] as const)(
  'a failover that loses the last writes of the master with %s: no run is lost, none is twice in the file',
  { timeout: 180_000 },
  async (part) => {
    const cluster = await startRedisCluster();
    const sweep = await prepareSweep(cluster.url, { tokensPerSecond: 120 }, plan);
    for (const kind of fleet) sweep.startWorker(kind);
    const producer = sweep.produce();
    await expect
      .poll(() => sweep.simulator.requests().length, { timeout: 60_000, interval: 20 })
      .toBeGreaterThanOrEqual(30);
    const [id = ''] = (await readdir(sweep.resultsDir)).filter((name) => name.startsWith(`${plan.name}-`));
    const lostBytes = await cluster.loseWritesOf(lostParts[part](id), 20_000);
    expect(lostBytes).toBeGreaterThanOrEqual(20_000);
    expect(producer.child.exitCode, 'the sweep goes on after the failover').toBeNull();
    await endsWhole(sweep, producer);
  },
);

test.skipIf(!hasOpenssl)(
  'a sweep runs on a Redis Cluster over TLS, and goes on after a failover (needs openssl on PATH)',
  { timeout: 180_000 },
  async () => {
    const certificates = makeCertificates(await temporaryFolder());
    const cluster = await startRedisCluster(certificates);
    const trusting = { NODE_EXTRA_CA_CERTS: certificates.ca };
    const sweep = await prepareSweep(cluster.url, { tokensPerSecond: 120 }, plan, trusting);
    for (const kind of fleet) sweep.startWorker(kind);
    const producer = sweep.produce();
    await expect
      .poll(() => sweep.simulator.requests().length, { timeout: 60_000, interval: 20 })
      .toBeGreaterThanOrEqual(30);
    await cluster.killMasterOf(`hl:${createKeys('hl').generationQueue('instruct')}:wait`);
    expect(producer.child.exitCode, 'the sweep goes on after the failover').toBeNull();
    await endsWhole(sweep, producer);
    const doctor = startHaltline(['doctor'], { REDIS_URL: cluster.url, ...trusting });
    expect(await doctor.ended, doctor.stdout()).toBe(0);
    const stranger = startHaltline(['doctor'], { REDIS_URL: cluster.url });
    expect(await stranger.ended).toBe(1);
    expect(stranger.stdout()).toMatch(/no usable Redis at localhost:\d+/);
  },
);

async function endsWhole(sweep: SweepProcesses, producer: HaltlineProcess): Promise<void> {
  expect(await producer.ended, producer.stderr()).toBe(0);
  const summary = summarySchema.parse(JSON.parse(producer.stdout()));
  const lines = await readRunLines(join(sweep.resultsDir, summary.sweep, 'runs.jsonl'));
  const places = lines.map(({ place }) => place).sort((a, b) => a - b);
  expect(places).toEqual(Array.from({ length: summary.counts.total }, (_, place) => place));
  expect(lines.filter(({ outcome }) => outcome.status === 'failed')).toEqual([]);
  expect(lines.some(({ outcome }) => outcome.status === 'halted')).toBe(true);
}
