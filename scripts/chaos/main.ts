/**
 * Real processes under kill -9: `npm run chaos` (a few hundred runs, under two minutes), `npm run chaos -- --full`
 * (2,000 runs), `--seed TEXT` for the same strikes and chains again. Every second or two a process of the sweep is
 * killed or frozen past its lock, or Redis is killed, cut off from everybody, or (once) filled to its memory limit; at
 * the end everything that the pipeline promises is checked.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { hashJson } from '../../shared/hash.ts';
import { createRedis, redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { createKeys } from '../../shared/redis/keys.ts';
import { type Summary, summarySchema } from '../../shared/schemas/summary.ts';
import { summariseFolder } from '../../workers/metrics/summarise-folder.ts';
import { closedPort } from '../loopback-ports.ts';
import { startRestartableRedis, type RestartableRedis } from '../restartable-redis.ts';
import { createSimulator, type Simulator } from '../simulator/create-simulator.ts';
import { type Check, describeCheck } from './check.ts';
import { checkFigures, sumOfCounter } from './check-figures.ts';
import { checkLeftovers } from './check-leftovers.ts';
import { checkAllJudged, checkFlags, checkOneLineEach } from './check-lines.ts';
import { checkRequests, checkWasted, type LoggedRequest } from './check-requests.ts';
import { checkStrikes } from './check-strikes.ts';
import { checkWoken } from './check-woken.ts';
import { ChaosFleet } from './fleet.ts';
import { readAllLines, readChains } from './read-results.ts';
import { buildChaosSpec, buildRiddles, expectedFlag, riddleScript } from './riddles.ts';
import { planStrikes } from './strikes.ts';

/** Slow enough in the full form for over a hundred kills. */
const TOKENS_PER_SECOND = { short: 100, full: 60 };
/** Five arms each. */
const RIDDLES = { short: 60, full: 400 };
/** How long strikes go on at most: on a busy machine processes take longer to start than strikes to come. */
const STRIKES_MS = { short: 45_000, full: 900_000 };
/** After which a sweep that does not end is given up. */
const PATIENCE_MS = { short: 240_000, full: 1_800_000 };
/** How much of what frozen workers held must be another's when they wake, for the run to have shown anything. */
const TAKEN_OVER = { short: 0, full: 3 };
/** The last runs are left in peace, so that the figures of the worker that ends the sweep are still served. */
const PEACE_SHARE = 0.97;
const PREFIX = 'chaos';

const bodySchema = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
});

interface Stage {
  readonly seed: string;
  readonly dir: string;
  readonly size: 'short' | 'full';
  readonly redis: RestartableRedis;
  readonly simulator: Simulator;
  readonly fleet: ChaosFleet;
  readonly metricsPorts: readonly number[];
}

const { values: flags } = parseArgs({
  options: { full: { type: 'boolean', default: false }, seed: { type: 'string' } },
});
process.exitCode = await main(flags.seed ?? String(Date.now() % 1_000_000), flags.full ? 'full' : 'short');

async function main(seed: string, size: Stage['size']): Promise<number> {
  const stage = await setStage(seed, size);
  const { fleet, redis, simulator, dir } = stage;
  process.on('exit', () => fleet.kill());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
  const startedAtMs = performance.now();
  try {
    const printed = await strikeUntilDone(stage);
    print(
      `the sweep is over after ${Math.round((performance.now() - startedAtMs) / 1_000)} s; strikes: ${told(fleet)}`,
    );
    const checks = await checkAll(stage, printed);
    for (const check of checks) print(describeCheck(check));
    const failed = checks.filter(({ problems }) => problems.length > 0).length;
    if (failed > 0) print(`seed ${seed}; results and logs are kept in ${dir}`);
    else await rm(dir, { recursive: true, force: true });
    print(`${checks.length - failed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    fleet.kill();
    await simulator.close();
    await redis.remove();
  }
}

async function setStage(seed: string, size: Stage['size']): Promise<Stage> {
  const dir = await mkdtemp(join(tmpdir(), 'haltline-chaos-'));
  const riddles = buildRiddles(RIDDLES[size]);
  print(
    `seed ${seed}: ${riddles.length} riddles, 2 generation, 2 monitor, 2 metrics workers, a producer, Redis with AOF`,
  );
  const simulator = await createSimulator({
    tokensPerSecond: TOKENS_PER_SECOND[size],
    logEntries: 100_000,
    logFile: join(dir, 'requests.jsonl'),
    script: (body) => riddleScript(seed, bodySchema.parse(body).messages),
  });
  const questionFile = join(dir, 'riddles.jsonl');
  await writeFile(questionFile, riddles.map((riddle) => `${JSON.stringify(riddle)}\n`).join(''));
  const specPath = join(dir, 'sweep.json');
  const spec = buildChaosSpec({ apiBaseUrl: simulator.url, questionFile, seed });
  await writeFile(specPath, JSON.stringify(spec));
  const redis = await startRestartableRedis({ appendonly: true });
  const metricsPorts = [await closedPort(), await closedPort()];
  const env = { REDIS_URL: redis.url, HALTLINE_RESULTS_DIR: dir, HALTLINE_PREFIX: PREFIX };
  const fleet = new ChaosFleet({ redis, prefix: PREFIX, specPath, dir, env, metricsPorts, onNote: print });
  return { seed, dir, size, redis, simulator, fleet, metricsPorts };
}

/** @returns the summary that the producer printed at the end */
async function strikeUntilDone({ seed, size, simulator, fleet }: Stage): Promise<Summary> {
  const patience = new AbortController();
  const late = sleep(PATIENCE_MS[size], undefined, { signal: patience.signal }).then(() => {
    throw new Error(
      `the sweep did not end within ${PATIENCE_MS[size] / 1_000} s (seed ${seed}); ${told(fleet)}`,
    );
  });
  const state = { isOver: false };
  const finished = fleet.finished.finally(() => (state.isOver = true));
  const enough = RIDDLES[size] * 5 * PEACE_SHARE;
  const striking = (async () => {
    while (simulator.requests().length === 0) await sleep(50);
    const strikesEndAtMs = performance.now() + STRIKES_MS[size];
    for (const strike of planStrikes(seed)) {
      await sleep(strike.afterMs);
      if (state.isOver || performance.now() > strikesEndAtMs) break;
      if (simulator.requests().length >= enough) break;
      await fleet.strike(strike);
    }
    fleet.thaw();
  })();
  try {
    const stdout = await Promise.race([finished, late, striking.then(() => finished)]);
    await striking;
    return summarySchema.parse(JSON.parse(stdout));
  } finally {
    patience.abort();
    late.catch(() => undefined);
  }
}

async function checkAll(
  { seed, dir, size, redis, simulator, fleet, metricsPorts }: Stage,
  printed: Summary,
): Promise<Check[]> {
  const client = createRedis(redisOptionsFromUrl(redis.url), 'commands');
  const folder = join(dir, printed.sweep);
  const { sweep } = printed;
  // Once nothing is left, no process writes any more.
  const leftovers = await checkLeftovers(client, createKeys(PREFIX), { sweep, targets: ['scripted'] });
  client.disconnect();
  const all = await readAllLines(folder);
  const lines = [...new Map(all.toReversed().map((line) => [line.place, line])).values()];
  return [
    checkOneLineEach(all, {
      total: printed.counts.total,
      metricsFreezes: fleet.strikes['freeze metrics'] ?? 0,
    }),
    checkFigures({
      lines: all,
      printed,
      refolded: await summariseFolder(folder),
      served: await Promise.all(metricsPorts.map(readCounter)),
    }),
    checkRequests(lines, loggedRequests(simulator)),
    checkWasted(lines, loggedRequests(simulator)),
    checkAllJudged(lines, await readChains(folder, lines)),
    checkFlags(lines, (questionId) => expectedFlag(seed, questionId)),
    leftovers,
    checkStrikes({
      strikes: fleet.strikes,
      unexpectedExits: fleet.unexpectedExits,
      size,
    }),
    await checkWoken(await fleet.woken(), { least: TAKEN_OVER[size], lines }),
  ];
}

function loggedRequests(simulator: Simulator): LoggedRequest[] {
  return simulator.requests().map(({ body, ...request }) => {
    const messagesHash = hashJson(bodySchema.parse(body).messages).slice(0, 32);
    return { ...request, messagesHash };
  });
}

/** undefined when the worker is away or has not served the sweep. */
async function readCounter(port: number): Promise<number | undefined> {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}/metrics`);
    return sumOfCounter(await reply.text(), 'haltline_runs_total');
  } catch {
    return undefined;
  }
}

function told(fleet: ChaosFleet): string {
  return Object.entries(fleet.strikes)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
