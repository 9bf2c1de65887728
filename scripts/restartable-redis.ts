import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { loadConfig } from '../shared/config.ts';
import { startEmbeddedRedis } from '../shared/redis/embedded-redis.ts';

/** A Redis of our own that can be killed and started again over the same data, at the same port. */
export interface RestartableRedis {
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  /** Of the server that runs now: changes with each restart. */
  readonly pid: number;
  /** Ends it if it still runs, and starts it again. */
  restart(): Promise<void>;
  /** kill -9, and a start. */
  killAndRestart(): Promise<void>;
  /** Ends it; `restart` brings it back. */
  stop(): Promise<void>;
  /** Ends it and deletes its data. */
  remove(): Promise<void>;
}

/** @throws HaltlineError REDIS_UNAVAILABLE */
export async function startRestartableRedis({
  appendonly = false,
}: { appendonly?: boolean } = {}): Promise<RestartableRedis> {
  const { cacheDir, searchPath } = loadConfig(process.env);
  const dir = await mkdtemp(join(tmpdir(), 'haltline-redis-'));
  const options = { cacheDir, searchPath, log: pino({ enabled: false }), appendonly, dir };
  let server = await startEmbeddedRedis(options);
  const { url, port } = server;
  const restart = async (): Promise<void> => {
    await server.stop();
    server = await startEmbeddedRedis({ ...options, port });
  };
  return {
    ...{ url, port, dir, restart },
    get pid() {
      return server.pid;
    },
    killAndRestart: async () => {
      process.kill(server.pid, 'SIGKILL');
      await restart();
    },
    stop: () => server.stop(),
    remove: async () => {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
