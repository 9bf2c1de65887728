import { setTimeout as sleep } from 'node:timers/promises';
import { serve, type ServerType } from '@hono/node-server';
import type { Logger } from 'pino';
import { unsafeListening } from '../../shared/core/http-guard.ts';
import { HaltlineError } from '../../shared/errors.ts';
import { isEqualSecret } from '../../shared/hash.ts';
import type { HealthSource } from '../../shared/observability/health-server.ts';
import { connectOrExplain, type RedisAddress } from '../../shared/redis/connection.ts';
import type { Keys } from '../../shared/redis/keys.ts';
import { SweepRegistry } from '../../shared/redis/sweep-registry.ts';
import { createHttpApp } from './http-app.ts';
import { QueueDepths } from './queue-depths.ts';
import { SweepDesk } from './sweep-desk.ts';

const closeWithinMs = 5_000;

export interface MetricsWorkerOptions {
  readonly redis: RedisAddress;
  readonly keys: Keys;
  readonly resultsDir: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** What callers must show; absent: only a loopback host is listened on. */
  readonly token?: string | undefined;
  readonly log: Logger;
}

export interface MetricsWorker extends HealthSource {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts the metrics worker: it finds live sweeps by itself, writes the results of those whose lease it gets, and serves
 * their figures over HTTP.
 *
 * @throws HaltlineError `REDIS_UNAVAILABLE`; and what listening throws, when the port is taken
 */
export async function startMetricsWorker(options: MetricsWorkerOptions): Promise<MetricsWorker> {
  const log = options.log.child({ worker: 'metrics' });
  const { host, token } = options;
  const unsafe = unsafeListening({ host, token });
  if (unsafe !== undefined) throw new HaltlineError('CONFIG_INVALID', `figures are not served: ${unsafe}`);
  const redis = await connectOrExplain(options.redis, 'commands', { log });
  const desk = new SweepDesk({ ...options, log }, redis);
  const queueDepths = new QueueDepths(redis, options.keys);
  let registry: SweepRegistry | undefined;
  const unready = (): string | undefined =>
    redis.status === 'ready' ? registry?.staleness : 'Redis is not reachable';
  const sources = {
    samples: async () => [...(await desk.samples()), ...(await queueDepths.samples(desk.targets()))],
    unready,
    summary: (sweep: string) => desk.summary(sweep),
  };
  const app = createHttpApp(sources, { host, token, isEqual: isEqualSecret });
  let server: ServerType | undefined;
  try {
    server = await listen(app.fetch, options);
    const looks = await SweepRegistry.create(desk.store, log, (sweeps) => desk.look(sweeps));
    registry = looks;
    return {
      port: portOf(server),
      unready,
      close: async () => {
        looks.close();
        // With Redis away, letting go would wait for it; what is not released runs out by itself.
        const closing = Promise.all([desk.close(), queueDepths.close(), closeServer(server)]);
        closing.catch((err: unknown) => log.debug({ event: 'close-failed', err }, 'not all was let go'));
        await Promise.race([closing, sleep(closeWithinMs, undefined, { ref: false })]);
        redis.disconnect();
      },
    };
  } catch (error) {
    await closeServer(server);
    redis.disconnect();
    throw error;
  }
}

async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  { host: hostname, port }: MetricsWorkerOptions,
): Promise<ServerType> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname, port });
    server.once('listening', () => resolve(server));
    server.once('error', reject);
  });
}

function portOf(server: ServerType): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address.port;
}

async function closeServer(server: ServerType | undefined): Promise<void> {
  if (server === undefined) return;
  await new Promise((resolve) => {
    server.close(resolve);
    // Kept-alive connections of scrapers would hold the process.
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
}
