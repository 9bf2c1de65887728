/**
 * Memory that does not grow: `npm run bench -- memory [--small 10000] [--large 100000] [--plan 1000000]`. A producer
 * feeds a spec of a million runs through its window to a generation, a monitor and a metrics worker; their memory and
 * Redis's are compared once `small` and once `large` runs are done. Compared is what is resident right after a
 * collection of garbage: between collections V8 keeps tens of megabytes more or less, as it sees fit, which says nothing
 * about growth. What was resident before stands beside it. Then `report` over as many lines. Linux only.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createRedis, redisOptionsFromUrl, type RedisClient } from '../../shared/redis/connection.ts';
import { createKeys, type Keys } from '../../shared/redis/keys.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { type Check, describeCheck } from '../chaos/check.ts';
import { startRestartableRedis } from '../restartable-redis.ts';
import { type HaltlineProcess, startHaltline } from '../start-haltline.ts';
import { type Memories, type Memory, type Probed, sampleMemory } from './memory-probe.ts';
import { checkReport } from './memory-report.ts';

const PREFIX = 'bench';
/** Questions of the built-in set times arms: runs of one repeat. */
const RUNS_A_REPEAT = 60 * 3;
const REDIS_BYTES = 64 * 2 ** 20;
const MOST_APART = 1.1;
/** As in the image, and with a signal that collects garbage. */
const NODE_ENV = {
  NODE_OPTIONS: `--max-semi-space-size=4 --import ${pathToFileURL(join(import.meta.dirname, 'memory-collect.mjs')).href}`,
  MALLOC_ARENA_MAX: '2',
};
const workerKinds = ['generation', 'monitor', 'metrics'] as const;

const count = z.coerce.number().int().positive();
const { values } = parseArgs({
  options: {
    small: { type: 'string', default: '10000' },
    large: { type: 'string', default: '100000' },
    plan: { type: 'string', default: '1000000' },
    'report-only': { type: 'boolean', default: false },
  },
});
const sizes = { small: count.parse(values.small), large: count.parse(values.large) };
process.exitCode = await main(count.parse(values.plan), values['report-only']);

async function main(plan: number, isReportOnly: boolean): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'haltline-memory-'));
  try {
    const checks = isReportOnly ? [] : await checkPipeline(dir, plan);
    const report = await checkReport(dir, sizes);
    for (const line of report.table) print(`report: ${line}`);
    checks.push(...report.checks);
    for (const check of checks) print(describeCheck(check));
    const failed = checks.filter(({ problems }) => problems.length > 0).length;
    print(`${checks.length - failed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function checkPipeline(dir: string, plan: number): Promise<Check[]> {
  const server = await startRestartableRedis();
  const simulator = fork(join(import.meta.dirname, 'memory-simulator.ts'));
  const messages: unknown[] = await once(simulator, 'message');
  const specPath = join(dir, 'sweep.json');
  await writeFile(specPath, JSON.stringify(specOf(z.string().parse(messages[0]), plan)));
  const env = {
    ...{ REDIS_URL: server.url, HALTLINE_PREFIX: PREFIX, HALTLINE_RESULTS_DIR: dir },
    ...NODE_ENV,
    HALTLINE_BENCH_DIR: dir,
    ...{ HALTLINE_METRICS_PORT: '0', HALTLINE_LOG_LEVEL: 'warn' },
  };
  const processes: Record<string, HaltlineProcess> = {};
  for (const kind of workerKinds) processes[kind] = startHaltline(['worker', kind], env);
  processes['producer'] = startHaltline(['run', specPath, '--no-workers', '--json'], env);
  const end = (): void => {
    for (const child of Object.values(processes)) child.kill('SIGKILL');
    simulator.kill('SIGKILL');
  };
  process.on('exit', end);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
  const redis = createRedis(redisOptionsFromUrl(server.url), 'commands');
  try {
    return await measure(processes, { redis, redisPid: server.pid, dir });
  } finally {
    redis.disconnect();
    end();
    await server.remove();
  }
}

async function measure(
  processes: Readonly<Record<string, HaltlineProcess>>,
  server: Omit<Probed, 'pids'>,
): Promise<Check[]> {
  const { redis } = server;
  const keys = createKeys(PREFIX);
  const pids = Object.fromEntries(
    Object.entries(processes).map(([name, { child }]) => [name, child.pid ?? 0]),
  );
  const few = await memoryAt(sizes.small);
  const many = await memoryAt(sizes.large);
  printTable(few, many);
  const sweep = await sweepOf(redis, keys);
  const left = await keysOnDisk(redis, keys, sweep, processes);
  const used = many['redis']?.held ?? NaN;
  return [
    checkGrowth(few, many),
    {
      name: 'Redis stays under 64 MB',
      problems: used < REDIS_BYTES ? [] : [mb(used)],
      detail: mb(used),
    },
    { name: 'no key of a run whose result is on disk is left', problems: left, detail: `sweep ${sweep}` },
  ];

  async function memoryAt(runs: number): Promise<Memories> {
    const startedAtMs = performance.now();
    const startedDone = await doneRuns(redis, keys);
    while ((await doneRuns(redis, keys)) < runs) {
      for (const [name, started] of Object.entries(processes))
        if (started.child.exitCode !== null) throw new Error(`${name} ended: ${started.stderr()}`);
      await sleep(250);
    }
    const seconds = (performance.now() - startedAtMs) / 1_000;
    const rate = (runs - startedDone) / seconds;
    print(
      `${runs} runs done, ${rate.toFixed(0)} a second; window ${await redis.llen(waitingKey(keys))} jobs, sampling`,
    );
    return sampleMemory({ ...server, pids });
  }
}

/** In both directions: what was more at the start would hide growth since. */
function checkGrowth(few: Memories, many: Memories): Check {
  const ratios = Object.entries(many).map(([name, { resident }]) => ({
    name,
    ratio: resident / (few[name]?.resident ?? NaN),
  }));
  const apart = ratios.filter(({ ratio }) => !(ratio <= MOST_APART && ratio >= 1 / MOST_APART));
  const told = (of: typeof ratios): string[] =>
    of.map(({ name, ratio }) => `${name} ${ratio.toFixed(3)} times`);
  return {
    name: `resident memory of each process and of Redis is within 10% of each other at ${sizes.small} and ${sizes.large} runs`,
    problems: told(apart),
    detail: told(ratios).join(', '),
  };
}

async function sweepOf(redis: RedisClient, keys: Keys): Promise<string> {
  return (await redis.smembers(keys.liveSweeps))[0] ?? '';
}

async function doneRuns(redis: RedisClient, keys: Keys): Promise<number> {
  return new SweepStore(redis, keys).countDone(await sweepOf(redis, keys));
}

function waitingKey(keys: Keys): string {
  return `${keys.queuePrefix}:${keys.generationQueue('bench')}:wait`;
}

/** Generation ends, what it committed goes to disk, and then no run that is marked may have a key. */
async function keysOnDisk(
  redis: RedisClient,
  keys: Keys,
  sweep: string,
  processes: Readonly<Record<string, HaltlineProcess>>,
): Promise<string[]> {
  for (const name of ['producer', 'generation', 'monitor']) processes[name]?.kill('SIGTERM');
  for (const name of ['generation', 'monitor']) await processes[name]?.ended;
  while ((await redis.xlen(keys.sweep(sweep).results)) > 0) await sleep(100);
  const found: string[] = [];
  let cursor = '0';
  do {
    const [next, batch] = await redis.scan(cursor, 'MATCH', `${PREFIX}:run:*`, 'COUNT', 1_000);
    for (const key of batch) {
      const place = Number(/\/(\d+)\}/.exec(key)?.[1]);
      if ((await redis.getbit(keys.sweep(sweep).done, place)) === 1) found.push(key);
    }
    cursor = next;
  } while (cursor !== '0');
  return found;
}

function specOf(apiBaseUrl: string, plan: number): object {
  return {
    name: 'memory',
    targets: [{ id: 'bench', concurrency: 32, config: { apiBaseUrl, model: 'sim-reasoner' } }],
    attacks: ['paa'],
    datasets: ['arithmetic'],
    arms: ['clean', 'attacked', 'guarded'],
    repeat: Math.ceil(plan / RUNS_A_REPEAT),
  };
}

function printTable(few: Memories, many: Memories): void {
  const columns: readonly (readonly [keyof Memory, string])[] = [
    ['resident', 'resident after a collection'],
    ['running', 'resident as it runs'],
    ['held', 'held by the program'],
  ];
  print(`${''.padEnd(42)}${`${sizes.small} done`.padStart(14)}${`${sizes.large} done`.padStart(14)}   ratio`);
  for (const [field, words] of columns)
    for (const [name, memory] of Object.entries(many)) {
      const before = few[name]?.[field] ?? NaN;
      const ratio = (memory[field] / before).toFixed(3);
      print(
        `${name.padEnd(12)}${words.padEnd(30)}${mb(before).padStart(14)}${mb(memory[field]).padStart(14)}   ${ratio}`,
      );
    }
}

function mb(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
