import type { Redis } from 'ioredis';
import { z } from 'zod';
import { HaltlineError } from '../errors.ts';

const minVersion = [6, 2] as const;
const configReplySchema = z.tuple([z.string(), z.string()]).rest(z.unknown());

/**
 * Refuses a Redis that would lose data, or that is too old (streams and scripts need 6.2). Where CONFIG is forbidden, as
 * managed services have it, INFO is asked instead.
 *
 * @throws HaltlineError `REDIS_UNSUITABLE`, one line with what to do
 */
export async function checkRedis(redis: Redis): Promise<void> {
  const version = infoField(await readInfo(redis, 'server'), 'redis_version');
  if (version === undefined || !isNewEnough(version)) {
    const found = version === undefined ? 'does not tell its version' : `is version ${version}`;
    throw new HaltlineError(
      'REDIS_UNSUITABLE',
      `this Redis ${found}; ${minVersion.join('.')} or newer is needed`,
    );
  }
  const policy = await maxmemoryPolicy(redis);
  if (policy === 'noeviction') return;
  throw new HaltlineError(
    'REDIS_UNSUITABLE',
    `this Redis may drop keys of running sweeps: maxmemory-policy is ${policy ?? 'not readable'}, not noeviction; ` +
      'run `redis-cli CONFIG SET maxmemory-policy noeviction` (managed services: change it in their settings)',
  );
}

/** CONFIG first: it is what CONFIG SET changes. Undefined when neither CONFIG nor INFO tells. */
export async function maxmemoryPolicy(redis: Redis): Promise<string | undefined> {
  try {
    const reply = configReplySchema.safeParse(await redis.config('GET', 'maxmemory-policy'));
    if (reply.success) return reply.data[1];
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
  return infoField(await readInfo(redis, 'memory'), 'maxmemory_policy');
}

/** A Redis that forbids INFO tells nothing: empty text. */
export async function readInfo(redis: Redis, section: 'server' | 'memory'): Promise<string> {
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
