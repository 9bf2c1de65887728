import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { loadConfig } from '../../shared/config.ts';
import { findRedisServer, type RedisProgram, withLibraries } from '../../shared/redis/find-redis-server.ts';
import { type GuardedProcess, startGuarded } from '../../shared/redis/redis-process.ts';
import type { Certificates } from './certificates.ts';

const MASTERS = 3;
const SLOTS = 16_384;
/** How long a node may be silent before the others vote. */
const NODE_TIMEOUT_MS = 1_500;
const PATIENCE = { timeout: 30_000, interval: 50 };

export interface ClusterNode {
  readonly port: number;
  readonly pid: number;
  /** Of this test; it ends with the node. */
  readonly redis: Redis;
}

export interface RedisCluster {
  /** Names every node. */
  readonly url: string;
  /** Three masters, then the replica of each in the same order. */
  readonly nodes: readonly ClusterNode[];
  /** kill -9 of the master of the key's slot; waits until its replica has taken its place. */
  killMasterOf(key: string): Promise<void>;
  /**
   * The same, but its replica takes the place by force, after so many bytes of writes that never reached it.
   *
   * @returns the bytes of writes that are lost
   */
  loseWritesOf(key: string, bytes: number): Promise<number>;
}

/**
 * A Redis Cluster of three masters and a replica of each, on loopback; with certificates, over TLS alone, the bus and
 * replication too. Ended after the test.
 */
export async function startRedisCluster(tls?: Certificates): Promise<RedisCluster> {
  const program = await findRedisServer(loadConfig(process.env).searchPath);
  if (!program) throw new Error('no redis-server on the PATH');
  const nodes = await Promise.all(Array.from({ length: 2 * MASTERS }, () => startNode(program, tls)));
  const masters = nodes.slice(0, MASTERS);
  await meet(nodes);
  await giveSlots(masters);
  await addReplicas(masters, nodes.slice(MASTERS));
  const ownersOf = async (key: string): Promise<{ master: ClusterNode; heir: ClusterNode }> => {
    const slot = Number(await nodes[0]?.redis.call('CLUSTER', 'KEYSLOT', key));
    const index = masters.findIndex((_, place) => slot < firstSlot(place + 1));
    const [master, heir] = [nodes[index], nodes[index + MASTERS]];
    if (!master || !heir) throw new Error(`slot ${String(slot)} has no master`);
    return { master, heir };
  };
  const seeds = nodes.map(({ port }) => `${tls ? 'localhost' : '127.0.0.1'}:${String(port)}`);
  return {
    url: `${tls ? 'rediss' : 'redis'}://${seeds.join(',')}`,
    nodes,
    killMasterOf: async (key) => {
      const { master, heir } = await ownersOf(key);
      process.kill(master.pid, 'SIGKILL');
      await expect.poll(() => roleOf(heir), PATIENCE).toBe('master');
    },
    loseWritesOf: async (key, bytes) => {
      const { master, heir } = await ownersOf(key);
      await detach(master);
      const lost = async () => (await offsetOf(master, 'master')) - (await offsetOf(heir, 'slave'));
      await expect.poll(lost, PATIENCE).toBeGreaterThanOrEqual(bytes);
      const lostBytes = await lost();
      process.kill(master.pid, 'SIGKILL');
      await heir.redis.call('CLUSTER', 'FAILOVER', 'TAKEOVER');
      await expect.poll(() => roleOf(heir), PATIENCE).toBe('master');
      return lostBytes;
    },
  };
}

/** Its replica is cut off, and refused from then on. */
async function detach({ redis }: ClusterNode): Promise<void> {
  await redis.call('ACL', 'SETUSER', 'default', '-psync', '-sync');
  await redis.call('CLIENT', 'KILL', 'TYPE', 'replica');
}

async function offsetOf({ redis }: ClusterNode, role: 'master' | 'slave'): Promise<number> {
  return Number(new RegExp(`^${role}_repl_offset:(\\d+)`, 'm').exec(await redis.info('replication'))?.[1]);
}

async function startNode(program: RedisProgram, tls: Certificates | undefined): Promise<ClusterNode> {
  const dir = await mkdtemp(join(tmpdir(), 'haltline-cluster-'));
  for (;;) {
    // The bus is at port + 10,000: both lie below what systems give to outgoing connections.
    const port = randomInt(15_000, 22_000);
    const command = [
      ...[
        program.path,
        '--bind',
        '127.0.0.1',
        '--dir',
        dir,
        ...(tls ? tlsFlags(port, tls) : ['--port', `${port}`]),
      ],
      ...['--save', '', '--maxmemory-policy', 'noeviction'],
      ...['--cluster-enabled', 'yes', '--cluster-node-timeout', String(NODE_TIMEOUT_MS)],
    ] as const;
    const guarded = await startGuarded(withLibraries([...command], program.libraryPath), {
      outputFile: join(dir, 'redis.log'),
    });
    const where = tls ? { host: 'localhost', tls: { ca: readFileSync(tls.ca) } } : { host: '127.0.0.1' };
    const redis = new Redis({ ...where, port, retryStrategy: () => 50 });
    redis.on('error', () => undefined);
    if (!(await isUp(guarded, redis))) {
      redis.disconnect();
      continue;
    }
    onTestFinished(async () => {
      redis.disconnect();
      await guarded.stop();
      await rm(dir, { recursive: true, force: true });
    });
    return { port, pid: guarded.pid, redis };
  }
}

/** The certificate is made out to a name, so that is what clients must be told. */
function tlsFlags(port: number, { ca, cert, key }: Certificates): string[] {
  return [
    ...['--port', '0', '--tls-port', String(port), '--tls-cluster', 'yes', '--tls-replication', 'yes'],
    ...['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', ca, '--tls-auth-clients', 'no'],
    ...['--cluster-announce-hostname', 'localhost', '--cluster-preferred-endpoint-type', 'hostname'],
  ];
}

/** False when the port is another's. */
async function isUp(guarded: GuardedProcess, redis: Redis): Promise<boolean> {
  let isOurs = false;
  await expect
    .poll(async () => {
      isOurs = redis.status === 'ready' && (await redis.info('server')).includes(`process_id:${guarded.pid}`);
      return isOurs || guarded.hasEnded();
    }, PATIENCE)
    .toBe(true);
  return isOurs;
}

async function meet(nodes: readonly ClusterNode[]): Promise<void> {
  const [first, ...others] = nodes;
  for (const [index, { redis }] of nodes.entries())
    await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  for (const { port } of others) await first?.redis.call('CLUSTER', 'MEET', '127.0.0.1', port);
  for (const node of nodes) {
    await expect.poll(() => clusterInfo(node), PATIENCE).toContain(`cluster_known_nodes:${nodes.length}`);
  }
}

async function giveSlots(masters: readonly ClusterNode[]): Promise<void> {
  for (const [index, { redis }] of masters.entries()) {
    const from = firstSlot(index);
    const slots = Array.from({ length: firstSlot(index + 1) - from }, (_, slot) => from + slot);
    await redis.call('CLUSTER', 'ADDSLOTS', ...slots);
  }
}

async function addReplicas(masters: readonly ClusterNode[], replicas: readonly ClusterNode[]): Promise<void> {
  for (const [index, { redis }] of replicas.entries()) {
    const id = String(await masters[index]?.redis.call('CLUSTER', 'MYID'));
    await redis.call('CLUSTER', 'REPLICATE', id);
  }
  for (const node of [...masters, ...replicas]) {
    await expect.poll(() => clusterInfo(node), PATIENCE).toContain('cluster_state:ok');
  }
  for (const { redis } of replicas) {
    await expect.poll(() => redis.info('replication'), PATIENCE).toContain('master_link_status:up');
  }
}

function firstSlot(master: number): number {
  return Math.floor((SLOTS * master) / MASTERS);
}

async function clusterInfo({ redis }: ClusterNode): Promise<string> {
  return String(await redis.call('CLUSTER', 'INFO'));
}

async function roleOf({ redis }: ClusterNode): Promise<string | undefined> {
  return /^role:(\w+)/m.exec(await redis.info('replication'))?.[1];
}
