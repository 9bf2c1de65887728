/**
 * Monitors that scale out: `npm run bench -- scale-out [--chains 64] [--rate 320] [--seconds 30]`; `--only llm` (`rules`,
 * `full`) leaves the other parts out. Chains of 50 steps;
 * a judge of 500 ms with 32 calls in flight a worker, and `rules`; monitors, judge and Redis are processes of their own.
 * Goals: p99 from step to verdict at 8 monitors at most twice the judge's time; Redis traffic and CPU a judged step at 8
 * at most 1.2 times those at 1. And how many steps `rules` judge a second at 2 monitors against 1.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { MESSAGE_VERSION } from '../../shared/schemas/job.ts';
import { type LiveSweep, liveSweepSchema } from '../../shared/schemas/live-sweep.ts';
import { sweepSpecSchema } from '../../shared/schemas/sweep-spec.ts';
import { type Check, describeCheck } from '../chaos/check.ts';
import { type RestartableRedis, startRestartableRedis } from '../restartable-redis.ts';
import { type HaltlineProcess, startHaltline } from '../start-haltline.ts';
import { ChainDriver, type Measured } from './scale-out-driver.ts';

const JUDGE_MS = 500;
const IN_FLIGHT = 32;
const MOST_JUDGE_TIMES = 2;
const MOST_REDIS = 1.2;
const WARM_UP_MS = 3_000;

const count = z.coerce.number().int().positive();
const { values } = parseArgs({
  options: {
    chains: { type: 'string', default: '64' },
    rate: { type: 'string', default: '320' },
    seconds: { type: 'string', default: '30' },
    monitors: { type: 'string', default: '8' },
    only: { type: 'string' },
  },
});
const [chains, rate, monitors] = [
  count.parse(values.chains),
  count.parse(values.rate),
  count.parse(values.monitors),
];
const measureMs = count.parse(values.seconds) * 1_000;
const running = new Set<HaltlineProcess>();
process.exitCode = await main();

async function main(): Promise<number> {
  const redis = await startRestartableRedis();
  const judge = fork(join(import.meta.dirname, 'scale-out-judge.ts'), [String(JUDGE_MS)]);
  process.on('exit', () => {
    judge.kill('SIGKILL');
    for (const worker of running) worker.kill('SIGKILL');
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
  const messages: unknown[] = await once(judge, 'message');
  const judgeUrl = z.string().parse(messages[0]);
  const few = { chains: Math.ceil(chains / monitors), rate: Math.ceil(rate / monitors) };
  const offer = (load: { chains: number; rate: number }) => (driver: ChainDriver) =>
    driver.offer({ ...load, warmUpMs: WARM_UP_MS, measureMs });
  const saturate = (driver: ChainDriver) =>
    driver.saturate({ chains: 64, warmUpMs: WARM_UP_MS, measureMs: Math.min(measureMs, 10_000) });
  const judgePid = judge.pid ?? 0;
  const run = async (name: string, at: number, how: (driver: ChainDriver) => Promise<Measured>) =>
    measure({ redis, judgeUrl, judgePid, name, at, how });
  const checks: Check[] = [];
  if (isAsked('llm')) {
    const many = await run('llm', monitors, offer({ chains, rate }));
    const one = await run('llm', 1, offer(few));
    checks.push(checkOffered(many), checkLatency(many));
    checks.push(...checkRedis('llm, each monitor with as much to do', many, one));
  }
  if (isAsked('rules')) {
    const many = await run('rules', monitors, offer({ chains, rate }));
    const one = await run('rules', 1, offer({ chains, rate }));
    checks.push(...checkRedis('rules, as many steps in all', many, one));
  }
  if (isAsked('full')) {
    const one = await run('rules full', 1, saturate);
    const two = await run('rules full', 2, saturate);
    const ratio = two.judged / two.seconds / (one.judged / one.seconds);
    print(`rules: ${ratio.toFixed(2)} times as many steps judged a second at 2 monitors as at 1`);
  }
  judge.kill('SIGKILL');
  await redis.remove();
  for (const check of checks) print(describeCheck(check));
  const failed = checks.filter(({ problems }) => problems.length > 0).length;
  print(`${checks.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function isAsked(part: 'llm' | 'rules' | 'full'): boolean {
  return values.only === undefined || values.only === part;
}

async function measure(phase: {
  redis: RestartableRedis;
  judgeUrl: string;
  judgePid: number;
  name: string;
  at: number;
  how: (driver: ChainDriver) => Promise<Measured>;
}): Promise<Measured> {
  const { redis, judgeUrl, judgePid, name, at, how } = phase;
  const prefix = `${name.replaceAll(' ', '-')}-${at}`;
  const driver = await ChainDriver.create(redis.url, prefix, buildSweep(name, judgeUrl));
  const env = { REDIS_URL: redis.url, HALTLINE_PREFIX: prefix, HALTLINE_LOG_LEVEL: 'info' };
  const workers = Array.from({ length: at }, () => startHaltline(['worker', 'monitor'], env));
  for (const worker of workers) running.add(worker);
  driver.processes['monitors'] = workers.map(({ child }) => child.pid ?? 0);
  driver.processes['judge'] = [judgePid];
  while (!workers.every((worker) => worker.stderr().includes('worker-started'))) await sleep(100);
  const measured = await how(driver);
  for (const worker of workers) worker.kill('SIGTERM');
  for (const worker of workers) {
    await worker.ended;
    running.delete(worker);
  }
  await driver.close();
  print(describe(name, at, measured));
  return measured;
}

function buildSweep(name: string, apiBaseUrl: string): LiveSweep {
  const llm = { id: 'llm', name: 'llm', config: { apiBaseUrl, model: 'sim-monitor' } };
  const spec = sweepSpecSchema.parse({
    name: 'scale-out',
    targets: [{ id: 'bench', config: { apiBaseUrl, model: 'sim-reasoner' } }],
    attacks: ['badchain'],
    datasets: ['arithmetic'],
    monitors: [name === 'llm' ? llm : 'rules'],
    // As many chains as calls in flight: BullMQ gives jobs to the first free worker, not to the least loaded.
    monitor: name === 'llm' ? { chains: IN_FLIGHT, inFlight: IN_FLIGHT } : {},
  });
  const dataset = { id: 'arithmetic', sha256: '', extractor: 'number', rows: 1, duplicates: 0, sample: [] };
  const about = { v: MESSAGE_VERSION, id: 'scale-out-0', haltline: '0.0.0', createdAtMs: 0 };
  return liveSweepSchema.parse({ ...about, spec, datasets: [dataset], total: 1_000_000 });
}

function checkOffered({ published, seconds }: Measured): Check {
  const offered = published / seconds;
  return {
    name: `${rate} steps a second are offered`,
    problems: offered >= rate * 0.98 ? [] : [`${offered.toFixed(1)}: this machine is too busy`],
    detail: `${offered.toFixed(1)} over ${chains} chains`,
  };
}

function checkLatency({ latencies }: Measured): Check {
  const p99 = at(latencies, 0.99);
  return {
    name: `p99 from step to verdict at ${monitors} monitors is at most ${MOST_JUDGE_TIMES} times the judge's time`,
    problems: p99 <= MOST_JUDGE_TIMES * JUDGE_MS ? [] : [`${p99.toFixed(0)} ms`],
    detail: `${p99.toFixed(0)} ms, judge ${JUDGE_MS} ms`,
  };
}

function checkRedis(what: string, many: Measured, one: Measured): Check[] {
  return (['redisBytes', 'redisMicroseconds'] as const).map((name) => {
    const ratio = many[name] / one[name];
    const unit = name === 'redisBytes' ? 'bytes over the wire' : 'CPU microseconds';
    return {
      name: `Redis ${unit} a judged step at ${monitors} are at most ${MOST_REDIS} times those at 1 (${what})`,
      problems: ratio <= MOST_REDIS ? [] : [`${ratio.toFixed(2)} times`],
      detail: `${many[name].toFixed(0)} against ${one[name].toFixed(0)}: ${ratio.toFixed(2)} times`,
    };
  });
}

function describe(name: string, monitorsAt: number, measured: Measured): string {
  const { seconds, judged, published, latencies, redisBytes, redisMicroseconds, watched } = measured;
  const cpu = Object.entries(measured.cpu)
    .map(([who, ms]) => `${who} ${ms.toFixed(2)}`)
    .join(', ');
  const ms = [0.5, 0.95, 0.99].map((share) => at(latencies, share).toFixed(0)).join(' / ');
  return (
    `${name.padEnd(10)} ${monitorsAt} monitors: offered ${(published / seconds).toFixed(0)}/s, ` +
    `judged ${(judged / seconds).toFixed(0)}/s; p50 / p95 / p99 ${ms} ms; Redis ${redisBytes.toFixed(0)} B and ` +
    `${redisMicroseconds.toFixed(0)} us a step; CPU ms a step: ${cpu}; chains begun, fewest to most: ${watched[0] ?? 0} to ${watched.at(-1) ?? 0}`
  );
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
