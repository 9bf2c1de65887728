import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { redisOptionsFromUrl } from '../../../shared/redis/connection.ts';
import { startMetricsWorker } from '../../../workers/metrics/main.ts';
import { summariseFolder } from '../../../workers/metrics/summarise-folder.ts';
import { type Bench, cleanResults, readChain, readLines, testBench, until } from './committed-runs.ts';

const crashPoints = ['appendChains', 'appendLines', 'sync', 'marks', 'delete', 'entries'] as const;
const script = fileURLToPath(new URL('crashing-worker.ts', import.meta.url));
const total = 6;

async function crash(bench: Bench, after: (typeof crashPoints)[number]): Promise<NodeJS.Signals | null> {
  const { url, prefix, sweep, resultsDir } = bench;
  const order = JSON.stringify({ url, prefix, sweep: sweep.id, resultsDir, after });
  const child = spawn(process.execPath, ['--import', 'tsx', script, order], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'exit');
  return child.signalCode;
}

it.each(crashPoints)('has every run on disk once after a kill -9 behind %s', async (after) => {
  const bench = await testBench(total);
  const { store, redis, keys, sweep } = bench;
  await store.announce(sweep);
  for (const result of cleanResults(total).slice(0, 4)) await bench.commit(result);
  expect(await crash(bench, after)).toBe('SIGKILL');
  // Its lease would run out by itself, in ten seconds.
  await redis.del(keys.sweep(sweep.id).metricsLease);

  const worker = await startMetricsWorker({
    redis: redisOptionsFromUrl(bench.url),
    keys,
    resultsDir: bench.resultsDir,
    host: '127.0.0.1',
    port: 0,
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => worker.close());
  for (const result of cleanResults(total).slice(4)) await bench.commit(result);
  await until(async () => (await store.status(sweep.id)) === 'finished');
  await until(async () => (await redis.xlen(keys.sweep(sweep.id).results)) === 0);

  const folder = join(bench.resultsDir, sweep.id);
  const lines = await readLines(folder);
  expect(lines.map((line) => line.place)).toEqual([0, 1, 2, 3, 4, 5]);
  for (const line of lines) expect((await readChain(folder, line))?.runId).toBe(line.runId);
  expect((await summariseFolder(folder)).counts).toMatchObject({
    lines: total,
    repeats: 0,
    unreadableLines: 0,
  });
  expect(await store.backlogBytes(sweep.id)).toBe(0);
  for (const { place } of lines) {
    const { run, steps, verdicts } = keys.run(sweep.id, place);
    expect(await redis.exists(run, steps, verdicts)).toBe(0);
  }
});
