import { Command, type Option } from 'commander';
import type { Logger } from 'pino';
import type { Config } from '../../shared/config.ts';
import { HaltlineError } from '../../shared/errors.ts';
import { type HealthSource, startHealthServer } from '../../shared/observability/health-server.ts';
import { redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { createKeys } from '../../shared/redis/keys.ts';
import { flag, parsePositive } from '../options.ts';
import { openSession, type Session } from '../session.ts';

const CLOSE_MS = 10_000;

const help = `
Examples:
  $ REDIS_URL=redis://queue:6379 haltline worker generation
  $ REDIS_URL=redis://queue:6379 haltline worker monitor
  $ REDIS_URL=redis://queue:6379 haltline worker metrics --results-dir /data/results
  $ REDIS_URL=redis://queue:6379 haltline run sweep.yaml --no-workers

Workers find the live sweeps in Redis by themselves; start as many generation and monitor workers as you need, and one
metrics worker where the results are to lie. API keys are read where generation workers run. A worker runs until
SIGTERM or Ctrl-C, hands back what it has begun, and exits 0 (1 when that took more than 10 s; others then take over).
With --health-port it answers /livez (the process lives), /readyz (it can do its work; else 503 and why) and /metrics
(what it has under way, what waits, whether generation is paused and why).

Figures and health are served on 127.0.0.1. Any other --metrics-host or --health-host needs HALTLINE_HTTP_TOKEN in the
environment (16 characters or more), which callers send as "Authorization: Bearer TOKEN"; set to none, everybody who
reaches the port may look.`;

export function workerCommand(): Command {
  return new Command('worker')
    .summary('run one worker process (generation, monitor, metrics)')
    .addCommand(generationCommand())
    .addCommand(monitorCommand())
    .addCommand(metricsCommand())
    .addHelpText('after', help);
}

function generationCommand(): Command {
  return new Command('generation')
    .summary('streams from targets, and halts runs')
    .addOption(
      flag('--concurrency <n>', "runs at once per target; default: each target's own").argParser(
        parsePositive,
      ),
    )
    .addOption(healthHostFlag())
    .addOption(healthPortFlag())
    .action(async ({ concurrency, ...health }: HealthFlags & { concurrency?: number }) => {
      const session = openWorkerSession('generation', health);
      const served = await serveHealth(session);
      const { log, ...base } = { ...session, ...(await baseOf(session)) };
      const { startGenerationWorker } = await import('../../workers/generation/main.ts');
      const worker = await startGenerationWorker({
        ...{ redis: base.redis, keys: base.keys, log, env: process.env },
        ...(concurrency === undefined ? {} : { concurrency }),
      });
      served.watch(worker);
      closeOnSignal(() => worker.close(), log);
    });
}

function monitorCommand(): Command {
  return new Command('monitor')
    .summary('watches chains and judges their steps')
    .addOption(flag('--chains <n>', 'chains watched at once, at most').argParser(parsePositive))
    .addOption(healthHostFlag())
    .addOption(healthPortFlag())
    .action(async ({ chains, ...health }: HealthFlags & { chains?: number }) => {
      const session = openWorkerSession('monitor', health);
      const served = await serveHealth(session);
      const { log } = session;
      const { startMonitorWorker } = await import('../../workers/monitor/main.ts');
      const worker = await startMonitorWorker({
        ...{ ...(await baseOf(session)), log },
        ...(chains === undefined ? {} : { chains }),
      });
      served.watch(worker);
      closeOnSignal(() => worker.close(), log);
    });
}

function metricsCommand(): Command {
  return new Command('metrics')
    .summary('writes results to disk and serves figures')
    .addOption(flag('--results-dir <dir>', 'where results go (default: "./results")'))
    .addOption(
      flag(
        '--metrics-host <host>',
        'address to serve figures on; one that is no loopback needs HALTLINE_HTTP_TOKEN (default: "127.0.0.1")',
      ),
    )
    .addOption(flag('--metrics-port <port>', 'port to serve figures on (default: 9464)'))
    .addOption(healthHostFlag())
    .addOption(healthPortFlag())
    .action(async (flags: MetricsFlags) => {
      if (flags.metricsPort !== undefined) process.env.HALTLINE_METRICS_PORT = flags.metricsPort;
      const session = openWorkerSession('metrics', flags);
      const served = await serveHealth(session);
      const { config, log } = session;
      const { startMetricsWorker } = await import('../../workers/metrics/main.ts');
      const worker = await startMetricsWorker({
        ...{ ...(await baseOf(session)), log },
        resultsDir: flags.resultsDir ?? config.resultsDir,
        host: flags.metricsHost ?? config.metricsHost,
        port: config.metricsPort,
        token: config.httpToken,
      });
      served.watch(worker);
      log.info({ event: 'metrics-served', port: worker.port }, 'figures are served');
      closeOnSignal(() => worker.close(), log);
    });
}

interface HealthFlags {
  readonly healthHost?: string;
  readonly healthPort?: string;
}

interface MetricsFlags extends HealthFlags {
  readonly resultsDir?: string;
  readonly metricsHost?: string;
  readonly metricsPort?: string;
}

function healthHostFlag(): Option {
  return flag(
    '--health-host <host>',
    'address to answer on; one that is no loopback needs HALTLINE_HTTP_TOKEN (default: "127.0.0.1")',
  );
}

function healthPortFlag(): Option {
  return flag('--health-port <port>', 'port to answer /livez, /readyz and /metrics on (default: none)');
}

/** Flags win over variables by standing in their place: one check serves both. */
function openWorkerSession(name: string, { healthHost, healthPort }: HealthFlags): Session {
  if (healthHost !== undefined) process.env.HALTLINE_HEALTH_HOST = healthHost;
  if (healthPort !== undefined) process.env.HALTLINE_HEALTH_PORT = healthPort;
  return openSession(name);
}

/** From before the worker is there: a start that takes long is told apart from one that hangs. */
async function serveHealth({ config, log }: Session): Promise<{ watch(worker: HealthSource): void }> {
  let watched: HealthSource = { unready: () => 'starting' };
  const source = { unready: () => watched.unready(), samples: () => watched.samples?.() ?? [] };
  await startIfAsked(config, source, log);
  return { watch: (worker) => (watched = worker) };
}

async function startIfAsked(config: Config, source: HealthSource, log: Logger): Promise<void> {
  if (config.healthPort === undefined) return;
  const address = { host: config.healthHost, port: config.healthPort, token: config.httpToken };
  const { port } = await startHealthServer(address, source);
  log.info({ event: 'health-served', port }, 'liveness and readiness are served');
}

async function baseOf({ config, log }: Session) {
  if (config.redisUrl === undefined) {
    throw new HaltlineError(
      'CONFIG_INVALID',
      'REDIS_URL is not set: a worker needs the Redis that its sweeps are fed to',
    );
  }
  const { obtainRedis } = await import('../../shared/redis/embedded-redis.ts');
  const { url } = await obtainRedis({ config, log });
  return { redis: redisOptionsFromUrl(url), keys: createKeys(config.prefix) };
}

/**
 * Ends the process, cleanly, on SIGTERM or Ctrl-C. A worker that another command started leaves Ctrl-C to that command
 * (a terminal sends it to both), and ends when that command is gone.
 */
function closeOnSignal(close: () => Promise<void>, log: Logger): void {
  let isClosing = false;
  const end = (): void => {
    if (isClosing) return;
    isClosing = true;
    setTimeout(() => {
      log.warn({ event: 'worker-close-late' }, 'not all was handed back in time: other workers take it over');
      process.exit(1);
    }, CLOSE_MS);
    close().then(
      () => process.exit(0),
      (err: unknown) => {
        log.error({ event: 'worker-unclosed', err }, 'the worker did not close cleanly');
        process.exit(1);
      },
    );
  };
  const isChild = process.send !== undefined;
  process.on('SIGTERM', end);
  process.on('SIGINT', isChild ? () => undefined : end);
  if (!isChild) return;
  process.on('disconnect', end);
  if (!process.connected) end();
}
