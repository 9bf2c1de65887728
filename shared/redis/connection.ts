import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { HaltlineError } from '../errors.ts';

/**
 * What a connection is for. A blocking read holds back everything behind it, and a subscriber takes no commands, so
 * each has its own connection.
 * - `commands`: scripts and plain commands of a worker. Waits out an outage, however long.
 * - `blocking`: XREADGROUP BLOCK and BullMQ's own waits. Waits out an outage; silence is normal, so it has no time limit.
 * - `subscriber`: Pub/Sub. Subscribes again after an outage; what was published meanwhile is gone.
 * - `producer`: fails at once while Redis is away (wait for `ready` before the first command).
 */
export type RedisRole = 'commands' | 'blocking' | 'subscriber' | 'producer';

const urlShape = 'redis[s]://[user:password@]host[:port][/database]';
const maxReconnectDelayMs = 2_000;
/**
 * A half-open socket answers nothing: with a command pending this long, the connection is made anew. Well above the 10 s
 * that BullMQ blocks for at most, because it duplicates `commands` connections for its blocking reads.
 */
const silentSocketMs = 20_000;

/**
 * Connection options from a URL: `redis://` or `rediss://` (TLS), user, password (percent-encoded), IPv6 in brackets,
 * database number as path.
 *
 * @throws HaltlineError `CONFIG_INVALID`, one line without the URL: it can hold a password
 */
export function redisOptionsFromUrl(text: string): RedisOptions {
  const url = parseUrl(text);
  const database = /^\/?$/.test(url.pathname) ? '0' : url.pathname.slice(1);
  if (!/^\d{1,5}$/.test(database)) throw invalidUrl('its path is not a database number');
  if (url.search !== '' || url.hash !== '') throw invalidUrl('it has a query or a fragment');
  const username = decode(url.username, 'user');
  const password = decode(url.password, 'password');
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? 6379 : Number(url.port),
    db: Number(database),
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

/**
 * Opens a connection, which reconnects for ever with a delay of at most 2 s. Errors never go unhandled: the first of an
 * outage is logged as a warning, the end of the outage as info.
 *
 * No `keyPrefix`: BullMQ doesn't work with it.
 */
export function createRedis(options: RedisOptions, role: RedisRole, log?: Logger): Redis {
  const redis = new Redis({
    ...options,
    connectionName: `haltline-${role}`,
    connectTimeout: 5_000,
    retryStrategy: reconnectDelayMs,
    // After a failover the old primary answers READONLY: connect again, and send the command again.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
    // Replies in the same shapes over both versions of the protocol; BullMQ counts on these.
    replyMapping: 'legacy',
    ...settingsOf(role),
  });
  let down = false;
  redis.on('error', (error: Error) => {
    if (down) return;
    down = true;
    log?.warn(
      { event: 'redis-lost', role, redis: describeAddress(options), err: error },
      'redis connection lost',
    );
  });
  redis.on('ready', () => {
    if (down)
      log?.info({ event: 'redis-back', role, redis: describeAddress(options) }, 'redis connection is back');
    down = false;
  });
  return redis;
}

/**
 * Opens a connection at the start of a process: waits for it for a moment, and gives up with one clear line instead of
 * trying for ever. A wrong password is refused at once.
 *
 * @throws HaltlineError `REDIS_UNAVAILABLE` with host, port and reason
 */
export async function connectOrExplain(
  options: RedisOptions,
  role: RedisRole,
  { log, timeoutMs = 3_000 }: { log?: Logger; timeoutMs?: number } = {},
): Promise<Redis> {
  const redis = createRedis(options, role, log);
  try {
    await waitUntilReady(redis, timeoutMs);
    return redis;
  } catch (error) {
    redis.disconnect();
    const reason = error instanceof Error ? error.message || error.name : String(error);
    const message = `no usable Redis at ${describeAddress(options)}: ${reason}`;
    throw new HaltlineError('REDIS_UNAVAILABLE', message, { retryable: true, cause: error });
  }
}

/** Host and port as in a URL, without user and password. */
export function describeAddress(options: RedisOptions): string {
  const host = options.host ?? '127.0.0.1';
  return `${host.includes(':') ? `[${host}]` : host}:${options.port ?? 6379}`;
}

type RoleSettings = Pick<RedisOptions, 'maxRetriesPerRequest' | 'socketTimeout' | 'enableOfflineQueue'>;

function settingsOf(role: RedisRole): RoleSettings {
  switch (role) {
    case 'commands':
      return { maxRetriesPerRequest: null, socketTimeout: silentSocketMs };
    case 'blocking':
    case 'subscriber':
      return { maxRetriesPerRequest: null };
    case 'producer':
      return { maxRetriesPerRequest: 1, enableOfflineQueue: false, socketTimeout: silentSocketMs };
  }
}

/** 100, 200, 400 ... 2,000 ms, and up to a fifth more, so that many workers don't return in one instant. */
function reconnectDelayMs(attempt: number): number {
  const delayMs = Math.min(100 * 2 ** Math.min(attempt - 1, 10), maxReconnectDelayMs);
  return Math.round(delayMs * (1 + Math.random() / 5));
}

async function waitUntilReady(redis: Redis, timeoutMs: number): Promise<void> {
  let lastError: Error | undefined;
  let onReady: (() => void) | undefined;
  let onError: ((error: Error) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      onReady = resolve;
      onError = (error) => {
        lastError = error;
        if (isRefusal(error)) reject(error);
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
