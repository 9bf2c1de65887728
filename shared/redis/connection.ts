import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { HaltlineError } from '../errors.ts';
import { createCluster } from './cluster-connection.ts';
import { GatheringRedis } from './gathering-redis.ts';

/** One Redis, or a Redis Cluster: all commands are the same, as long as the keys of one share a hash tag. */
export type RedisClient = Redis | Cluster;

/** Where Redis is, and as whom. */
export interface RedisAddress extends RedisOptions {
  /** Nodes of a Redis Cluster, which know the others; absent: one Redis, at `host` and `port`. */
  readonly seeds?: readonly Seed[];
}

interface Seed {
  readonly host: string;
  readonly port: number;
}

/**
 * What a connection is for. A blocking read holds back everything behind it, and a subscriber takes no commands, so
 * each has its own connection.
 * - `commands`: scripts and plain commands of a worker. Waits out an outage, however long.
 * - `blocking`: XREADGROUP BLOCK and BullMQ's own waits. Waits out an outage; silence is normal, so it has no time limit.
 * - `subscriber`: Pub/Sub. Subscribes again after an outage; what was published meanwhile is gone.
 * - `producer`: fails at once while Redis is away (wait for `ready` before the first command).
 */
export type RedisRole = 'commands' | 'blocking' | 'subscriber' | 'producer';

const urlShape = 'redis[s]://[user:password@]host[:port][,host[:port]...][/database]';
const maxReconnectDelayMs = 2_000;
/**
 * A half-open socket answers nothing: with a command pending this long, the connection is made anew. Well above the 10 s
 * that BullMQ blocks for at most, because it duplicates `commands` connections for its blocking reads.
 */
const silentSocketMs = 20_000;

/**
 * Connection options from a URL: `redis://` or `rediss://` (TLS), user, password (percent-encoded), IPv6 in brackets,
 * database number as path. Several hosts with commas between them, or one with a comma after it, are nodes of a Redis
 * Cluster, which has no database but 0.
 *
 * @throws HaltlineError `CONFIG_INVALID`, one line without the URL: it can hold a password
 */
export function redisOptionsFromUrl(text: string): RedisAddress {
  const [first, ...others] = splitHosts(text);
  const url = parseUrl(first);
  const database = /^\/?$/.test(url.pathname) ? '0' : url.pathname.slice(1);
  if (!/^\d{1,5}$/.test(database)) throw invalidUrl('its path is not a database number');
  if (url.search !== '' || url.hash !== '') throw invalidUrl('it has a query or a fragment');
  if (others.length > 0 && Number(database) !== 0) throw invalidUrl('a cluster has no database but 0');
  const username = decode(url.username, 'user');
  const password = decode(url.password, 'password');
  const rest = others.filter((host) => host !== '').map((host) => seedOf(parseUrl(`redis://${host}`)));
  return {
    ...seedOf(url),
    db: Number(database),
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
    ...(others.length === 0 ? {} : { seeds: [seedOf(url), ...rest] }),
  };
}

/** The URL of a cluster that one of its nodes' URL leads to. */
export function clusterUrl(text: string): string {
  const { start, end } = hostsOf(text);
  return `${text.slice(0, start)}${text.slice(start, end)},${text.slice(end)}`;
}

/** The URL with its first host alone, then its other hosts; what stands before `@` may hold commas too. */
function splitHosts(text: string): [string, ...string[]] {
  const { start, end } = hostsOf(text);
  const [host = '', ...others] = text.slice(start, end).split(',');
  return [`${text.slice(0, start)}${host}${text.slice(end)}`, ...others];
}

function hostsOf(text: string): { start: number; end: number } {
  const start = Math.max(text.indexOf('://') + 3, text.lastIndexOf('@') + 1);
  const length = text.slice(start).search(/[/?#]/);
  return { start, end: length === -1 ? text.length : start + length };
}

function seedOf(url: URL): Seed {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: url.port === '' ? 6379 : Number(url.port) };
}

/**
 * Opens a connection, which reconnects for ever with a delay of at most 2 s. Errors never go unhandled: the first of an
 * outage is logged as a warning, the end of the outage as info.
 *
 * No `keyPrefix`: BullMQ doesn't work with it.
 */
export function createRedis(address: RedisAddress, role: RedisRole, log?: Logger): RedisClient {
  const redis = openClient(address, role);
  let down = false;
  redis.on('error', (error: Error) => {
    if (down) return;
    down = true;
    log?.warn(
      { event: 'redis-lost', role, redis: describeAddress(address), err: error },
      'redis connection lost',
    );
  });
  redis.on('ready', () => {
    if (down)
      log?.info({ event: 'redis-back', role, redis: describeAddress(address) }, 'redis connection is back');
    down = false;
  });
  return redis;
}

function openClient({ seeds, ...options }: RedisAddress, role: RedisRole): RedisClient {
  const { enableOfflineQueue, ...settings } = settingsOf(role);
  const shared = {
    ...options,
    ...settings,
    connectionName: `haltline-${role}`,
    connectTimeout: 5_000,
    // Replies in the same shapes over both versions of the protocol; BullMQ counts on these.
    replyMapping: 'legacy',
  } as const;
  if (seeds) {
    // Each node's host and port win over those of the first seed.
    return createCluster({
      seeds,
      node: shared,
      retryDelayMs: reconnectDelayMs,
      isPatient: enableOfflineQueue,
    });
  }
  return new GatheringRedis({
    ...shared,
    enableOfflineQueue,
    retryStrategy: reconnectDelayMs,
    // After a failover the old primary answers READONLY: connect again, and send the command again.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  });
}

/**
 * Opens a connection at the start of a process: waits for it for a moment, and gives up with one clear line instead of
 * trying for ever. A wrong password is refused at once.
 *
 * @throws HaltlineError `REDIS_UNAVAILABLE` with host, port and reason
 */
export async function connectOrExplain(
  address: RedisAddress,
  role: RedisRole,
  { log, timeoutMs = 3_000 }: { log?: Logger; timeoutMs?: number } = {},
): Promise<RedisClient> {
  const redis = createRedis(address, role, log);
  try {
    await waitUntilReady(redis, timeoutMs);
    return redis;
  } catch (error) {
    redis.disconnect();
    const reason = error instanceof Error ? error.message || error.name : String(error);
    const message = `no usable Redis at ${describeAddress(address)}: ${reason}`;
    throw new HaltlineError('REDIS_UNAVAILABLE', message, { retryable: true, cause: error });
  }
}

/** Host and port as in a URL, without user and password; those of a cluster's seeds with commas between them. */
export function describeAddress(address: RedisAddress): string {
  const { host = '127.0.0.1', port = 6379 } = address;
  return (address.seeds ?? [{ host, port }])
    .map((seed) => `${seed.host.includes(':') ? `[${seed.host}]` : seed.host}:${seed.port}`)
    .join(',');
}

interface RoleSettings extends Pick<RedisOptions, 'socketTimeout'> {
  readonly maxRetriesPerRequest: number | null;
  readonly enableOfflineQueue: boolean;
}

function settingsOf(role: RedisRole): RoleSettings {
  switch (role) {
    case 'commands':
      return { maxRetriesPerRequest: null, enableOfflineQueue: true, socketTimeout: silentSocketMs };
    case 'blocking':
    case 'subscriber':
      return { maxRetriesPerRequest: null, enableOfflineQueue: true };
    case 'producer':
      return { maxRetriesPerRequest: 1, enableOfflineQueue: false, socketTimeout: silentSocketMs };
  }
}

/** 100, 200, 400 ... 2,000 ms, and up to a fifth more, so that many workers don't return in one instant. */
function reconnectDelayMs(attempt: number): number {
  const delayMs = Math.min(100 * 2 ** Math.min(attempt - 1, 10), maxReconnectDelayMs);
  return Math.round(delayMs * (1 + Math.random() / 5));
}

async function waitUntilReady(redis: RedisClient, timeoutMs: number): Promise<void> {
  let lastError: Error | undefined;
  let onReady: (() => void) | undefined;
  let onError: ((error: Error) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      onReady = resolve;
      onError = (error) => {
        lastError = nodeErrorOf(error) ?? error;
        if (isRefusal(lastError)) reject(lastError);
      };
      redis.on('ready', onReady).on('error', onError);
      timer = setTimeout(() => {
        reject(lastError ?? new Error(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
    });
  } finally {
    clearTimeout(timer);
    if (onReady !== undefined) redis.off('ready', onReady);
    if (onError !== undefined) redis.off('error', onError);
  }
}

/** Why the last node of a cluster could not be asked for the others. */
function nodeErrorOf(error: Error): Error | undefined {
  return 'lastNodeError' in error && error.lastNodeError instanceof Error ? error.lastNodeError : undefined;
}

/** Trying again can't help: Redis has answered, and says no. */
function isRefusal(error: Error): boolean {
  return /^(WRONGPASS|NOAUTH|NOPERM|DENIED|ERR (?!max number of clients))/.test(error.message);
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw invalidUrl('it cannot be read');
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') throw invalidUrl('it begins otherwise');
  if (url.hostname === '') throw invalidUrl('it has no host');
  return url;
}

function decode(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new HaltlineError('CONFIG_INVALID', `REDIS_URL: its ${part} is not percent-encoded`, { cause });
  }
}

function invalidUrl(problem: string): HaltlineError {
  const hint = 'special characters of a password are percent-encoded';
  return new HaltlineError(
    'CONFIG_INVALID',
    `REDIS_URL is not of the form ${urlShape}: ${problem} (${hint})`,
  );
}
