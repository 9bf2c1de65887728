import { Cluster, type Redis } from 'ioredis';
import { z } from 'zod';
import { HaltlineError } from '../errors.ts';
import { describeAddress, type RedisClient } from './connection.ts';

const minVersion = [6, 2] as const;
const configReplySchema = z.tuple([z.string(), z.string()]).rest(z.unknown());

/**
 * Refuses a Redis that would lose data, or that is too old (streams and scripts need 6.2). Where CONFIG is forbidden, as
 * managed services have it, INFO is asked instead. Of a cluster, each node is asked: a replica may be a master tomorrow.
 *
 * @throws HaltlineError `REDIS_UNSUITABLE`, one line with what to do
 */
export async function checkRedis(redis: RedisClient): Promise<void> {
  if (!(redis instanceof Cluster)) return checkNode(redis, 'this Redis');
  await Promise.all([
    ...redis.nodes('master').map((node) => checkNode(node, nameOf(node))),
    ...redis.nodes('slave').map((node) =>
      checkNode(node, nameOf(node)).catch((error: unknown) => {
        // A replica that is away is no reason not to start.
        if (error instanceof HaltlineError) throw error;
      }),
    ),
  ]);
}

/** Whether it is a node of a Redis Cluster. */
export async function isClusterNode(redis: RedisClient): Promise<boolean> {
  return infoField(await readInfo(redis, 'cluster'), 'cluster_enabled') === '1';
}

function nameOf(node: Redis): string {
  return `node ${describeAddress({ host: node.options.host ?? '', port: node.options.port ?? 0 })} of the cluster`;
}

async function checkNode(redis: Redis, name: string): Promise<void> {
  const version = infoField(await readInfo(redis, 'server'), 'redis_version');
  if (version === undefined || !isNewEnough(version)) {
    const found = version === undefined ? 'does not tell its version' : `is version ${version}`;
    throw new HaltlineError(
      'REDIS_UNSUITABLE',
      `${name} ${found}; ${minVersion.join('.')} or newer is needed`,
    );
  }
  const policy = await maxmemoryPolicy(redis);
  if (policy === 'noeviction') return;
  throw new HaltlineError(
    'REDIS_UNSUITABLE',
    `${name} may drop keys of running sweeps: maxmemory-policy is ${policy ?? 'not readable'}, not noeviction; ` +
      'run `redis-cli CONFIG SET maxmemory-policy noeviction` (managed services: change it in their settings)',
  );
}

/** CONFIG first: it is what CONFIG SET changes. Undefined when neither CONFIG nor INFO tells. */
export async function maxmemoryPolicy(redis: RedisClient): Promise<string | undefined> {
  try {
    const reply = configReplySchema.safeParse(await redis.config('GET', 'maxmemory-policy'));
    if (reply.success) return reply.data[1];
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
  return infoField(await readInfo(redis, 'memory'), 'maxmemory_policy');
}

/** A Redis that forbids INFO tells nothing: empty text. */
export async function readInfo(
  redis: RedisClient,
  section: 'server' | 'memory' | 'cluster',
): Promise<string> {
  try {
    return await redis.info(section);
  } catch (error) {
    if (isForbidden(error)) return '';
    throw error;
  }
}

/** NOPERM: an ACL. Unknown command: renamed away, as managed services do. */
function isForbidden(error: unknown): boolean {
  return error instanceof Error && /^(NOPERM|ERR unknown command)/i.test(error.message);
}

/** One field of INFO's text. */
export function infoField(info: string, name: string): string | undefined {
  const line = info.split(/\r?\n/).find((candidate) => candidate.startsWith(`${name}:`));
  return line?.slice(name.length + 1);
}

/** @param version - like `7.0.15`; false when it has no two leading numbers */
export function isNewEnough(version: string): boolean {
  const [major, minor] = version.split('.').map(Number);
  if (major === undefined || minor === undefined || Number.isNaN(major) || Number.isNaN(minor)) return false;
  return major > minVersion[0] || (major === minVersion[0] && minor >= minVersion[1]);
}
