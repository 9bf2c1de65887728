import { readFile } from 'node:fs/promises';
import type { RedisClient } from '../../shared/redis/connection.ts';
import type { Keys } from '../../shared/redis/keys.ts';
import { scanKeys } from './scan-keys.ts';
import type { FreezableKind } from './strikes.ts';

/** A process of the fleet, and where it writes its log. */
export interface LoggedProcess {
  readonly kind: FreezableKind;
  readonly pid: number;
  readonly logFile: string;
}

/** A key that names a process as the one at work, and what it held of it: an epoch's token, a watch, a lease. */
export interface Hold {
  readonly key: string;
  readonly value: string;
  /** Of a run. */
  readonly epoch?: number;
}

/** A frozen process that was woken. */
export interface Woken extends LoggedProcess {
  readonly wokenAtMs: number;
  readonly held: number;
  /** What of it was another's by then. */
  readonly taken: readonly Hold[];
  /** What was gone: another's, where the run has a line of a later epoch. */
  readonly gone: readonly Hold[];
}

export type LogEntry = Readonly<Record<string, unknown>>;

/** The entries that a process wrote, among those of all that wrote to its log. A line cut by kill -9 is left out. */
export async function readLogOf({ pid, logFile }: LoggedProcess): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for (const line of (await readFile(logFile, 'utf8')).split('\n')) {
    const entry = parseEntry(line);
    if (entry?.['pid'] === pid) entries.push(entry);
  }
  return entries;
}

function parseEntry(line: string): LogEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null ? { ...entry } : undefined;
  } catch {
    return undefined;
  }
}

/** What stands in Redis under a process's own name. A worker that has not said its name yet holds nothing. */
export async function holdsOf(redis: RedisClient, keys: Keys, process: LoggedProcess): Promise<Hold[]> {
  const log = await readLogOf(process);
  const names = new Set(
    process.kind === 'metrics'
      ? log.filter(({ event }) => event === 'sweep-taken').map(({ lease }) => lease)
      : log.filter(({ event }) => event === 'worker-started').map(({ worker }) => worker),
  );
  const pattern = process.kind === 'metrics' ? 'sweep:*:metrics-lease' : 'run:*:run';
  const holds: Hold[] = [];
  for (const key of await scanKeys(redis, `${keys.queuePrefix}:${pattern}`)) {
    const found = await readHold(redis, key, process.kind);
    if (!found || !names.has(found.name)) continue;
    const { value, epoch } = found;
    holds.push({ key, value, ...(epoch !== undefined && { epoch }) });
  }
  return holds;
}

/** Which of those holds are another's now, and which are over: the key is gone, or its run is committed. */
export async function lostOf(
  redis: RedisClient,
  kind: FreezableKind,
  holds: readonly Hold[],
): Promise<Pick<Woken, 'taken' | 'gone'>> {
  const taken: Hold[] = [];
  const gone: Hold[] = [];
  for (const hold of holds) {
    const now = await readHold(redis, hold.key, kind);
    if (now === undefined) gone.push(hold);
    else if (now.value !== hold.value) taken.push(hold);
  }
  return { taken, gone };
}

async function readHold(
  redis: RedisClient,
  key: string,
  kind: FreezableKind,
): Promise<{ name: string; value: string; epoch?: number } | undefined> {
  if (kind === 'metrics') {
    const lease = await redis.get(key);
    return lease === null ? undefined : { name: lease, value: lease };
  }
  const field = kind === 'generation' ? 'generator' : 'watcher';
  const [name, token, epoch, result, ended, flagged] = await redis.hmget(
    key,
    ...[field, 'token', 'epoch', 'result', 'ended', 'flagged'],
  );
  // With its last steps in, or flagged, a chain may be judged to its end: its watch is over, and nobody's.
  const isOver = result || (kind === 'monitor' && (ended || flagged));
  if (!name || !token || isOver) return undefined;
  return { name, value: `${token}/${name}`, epoch: Number(epoch) };
}
