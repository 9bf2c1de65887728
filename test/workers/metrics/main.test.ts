import { execFile } from 'node:child_process';
import { appendFile, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createRedis, redisOptionsFromUrl } from '../../../shared/redis/connection.ts';
import { summarySchema } from '../../../shared/schemas/summary.ts';
import { type MetricsWorker, startMetricsWorker } from '../../../workers/metrics/main.ts';
import { summariseFolder } from '../../../workers/metrics/summarise-folder.ts';
import { ownRedis } from '../../support/redis.ts';
import { type Bench, cleanResults, readChain, readLines, testBench, until } from './committed-runs.ts';

/** A log whose events a test can wait for. */
function eventLog() {
  const events: string[] = [];
  const write = (line: string) => events.push(z.object({ event: z.string() }).parse(JSON.parse(line)).event);
  return { log: pino({ level: 'info' }, { write }), has: (event: string) => events.includes(event) };
}

async function startWorker(bench: Bench, log = pino({ level: 'silent' })): Promise<MetricsWorker> {
  const worker = await startMetricsWorker({
    redis: redisOptionsFromUrl(bench.url),
    keys: bench.keys,
    resultsDir: bench.resultsDir,
    host: '127.0.0.1',
    port: 0,
    log,
  });
  onTestFinished(() => worker.close());
  return worker;
}

const folderOf = (bench: Bench) => join(bench.resultsDir, bench.sweep.id);
const isFinished = (bench: Bench) => async () => (await bench.store.status(bench.sweep.id)) === 'finished';

async function get(worker: MetricsWorker, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${worker.port}${path}`);
}

it('takes a live sweep, writes every run once with its chain, deletes its keys and finishes the sweep', async () => {
  const bench = await testBench(5);
  await bench.store.announce(bench.sweep);
  const worker = await startWorker(bench);
  for (const result of cleanResults(5)) await bench.commit(result);
  await until(isFinished(bench));

  const lines = await readLines(folderOf(bench));
  expect(lines.map((line) => line.place).sort()).toEqual([0, 1, 2, 3, 4]);
  for (const line of lines) {
    const chain = await readChain(folderOf(bench), line);
    expect(chain?.steps[0]?.text).toBe(`step of run ${line.place}`);
  }
  await until(async () => (await bench.redis.xlen(bench.keys.sweep(bench.sweep.id).results)) === 0);
  expect(await bench.redis.exists(bench.keys.run(bench.sweep.id, 0).run)).toBe(0);
  expect(await bench.store.countDone(bench.sweep.id)).toBe(5);
  expect(await bench.store.backlogBytes(bench.sweep.id)).toBe(0);
  const written = summarySchema.parse(
    JSON.parse(await readFile(join(folderOf(bench), 'summary.json'), 'utf8')),
  );
  expect(written).toMatchObject({ complete: true, simulated: true, counts: { lines: 5 } });
  expect(await summariseFolder(folderOf(bench))).toEqual(written);
  expect(await (await get(worker, `/sweeps/${bench.sweep.id}/summary.json`)).json()).toEqual(written);
  expect((await get(worker, '/healthz')).status).toBe(200);
  expect((await get(worker, '/readyz')).status).toBe(200);
  expect((await get(worker, '/sweeps/other/summary.json')).status).toBe(404);
});

it('serves counters that equal the number of lines, in text that promtool accepts', async () => {
  const bench = await testBench(3);
  await bench.store.announce(bench.sweep);
  const worker = await startWorker(bench);
  for (const result of cleanResults(3)) await bench.commit(result);
  await until(isFinished(bench));
  const text = await (await get(worker, '/metrics')).text();
  const labels = 'sweep="tiny",target="toy",dataset="gsm8k",arm="clean",monitor="none",outcome="answered"';
  expect(text).toContain(`haltline_runs_total{${labels}} 3`);
  expect(text).toMatch(/haltline_asr_wrong_ratio\{.*arm="clean".*\} 0\n/);
  for (const reason of ['paused', 'capped', 'backlog'])
    expect(text).toContain(`haltline_sweep_paused{sweep="tiny",reason="${reason}"} 0`);
  const checked = await promtoolCheck(text);
  if (checked !== 'absent') expect(checked).toBe('');
});

it('settles an entry that comes twice without a second line', async () => {
  const bench = await testBench(2);
  await bench.store.announce(bench.sweep);
  await startWorker(bench);
  const [first, second] = cleanResults(2);
  if (!first || !second) throw new Error('two results');
  await bench.commit(first);
  await bench.store.send(bench.sweep.id, { place: 0, epoch: 1, bytes: 1_000 });
  await until(async () => (await bench.store.countDone(bench.sweep.id)) === 1);
  await bench.store.send(bench.sweep.id, { place: 0, epoch: 1, bytes: 1_000 });
  await bench.commit(second);
  await until(isFinished(bench));
  await until(async () => (await bench.redis.xlen(bench.keys.sweep(bench.sweep.id).results)) === 0);
  expect((await readLines(folderOf(bench))).map((line) => line.place)).toEqual([0, 1]);
});

it('dead-letters an entry whose run is gone, and one that does not fit, and goes on', async () => {
  const bench = await testBench(2);
  await bench.store.announce(bench.sweep);
  const results = bench.keys.sweep(bench.sweep.id).results;
  await bench.store.send(bench.sweep.id, { place: 1, epoch: 1, bytes: 10 });
  await bench.store.send(bench.sweep.id, { place: 99, epoch: 1, bytes: 10 });
  await bench.redis.xadd(results, '*', 'place', 'none', 'epoch', '1', 'bytes', '5');
  await startWorker(bench);
  await until(async () => (await bench.redis.xlen(bench.keys.deadLetters)) === 3);
  for (const result of cleanResults(2)) await bench.commit(result);
  await until(isFinished(bench));
  expect((await readSummary(bench)).counts).toMatchObject({ deadLetters: 3, lines: 2 });
});

it('resumes from the folder alone: Redis emptied, a torn last line and a torn chain cut off', async () => {
  const bench = await testBench(4);
  await bench.store.announce(bench.sweep);
  const first = await startWorker(bench);
  const results = cleanResults(4);
  for (const result of results.slice(0, 2)) await bench.commit(result);
  await until(async () => (await bench.store.countDone(bench.sweep.id)) === 2);
  await first.close();
  const before = await readLines(folderOf(bench));
  await appendFile(join(folderOf(bench), 'runs.jsonl'), '{"v":1,"sweep":"ti');
  await appendFile(join(folderOf(bench), 'chains-000.jsonl.gz'), Buffer.from([0x1f, 0x8b, 8]));
  await bench.store.remove(bench.sweep.id);

  await bench.store.announce(bench.sweep);
  await startWorker(bench);
  await until(() => bench.store.isReady(bench.sweep.id));
  expect(await bench.store.countDone(bench.sweep.id)).toBe(2);
  const cut = await readFile(join(folderOf(bench), 'chains-000.jsonl.gz'));
  expect(cut.length).toBe(Math.max(...before.map(({ chain }) => chain.offset + chain.length)));
  for (const result of results.slice(2)) await bench.commit(result);
  await until(isFinished(bench));
  const lines = await readLines(folderOf(bench));
  expect(lines.map((line) => line.place)).toEqual([0, 1, 2, 3]);
  for (const line of lines) expect((await readChain(folderOf(bench), line))?.place).toBe(line.place);
});

it('leaves a sweep alone, and says why, when its folder holds fewer runs than are marked', async () => {
  const bench = await testBench(4);
  await bench.store.announce(bench.sweep);
  await bench.store.writeDone(bench.sweep.id, Uint8Array.of(0b11000000));
  await startWorker(bench);
  await until(async () => (await bench.store.refusal(bench.sweep.id)) !== undefined);
  expect(await bench.store.refusal(bench.sweep.id)).toMatch(/holds 0 runs of this sweep, but 2 are marked/);
  expect(await bench.store.isReady(bench.sweep.id)).toBe(false);
  expect(await bench.redis.get(bench.keys.sweep(bench.sweep.id).metricsLease)).toBeNull();
});

it('goes on after FLUSHALL: group, marks, ready and the sweep itself stand again', async () => {
  const server = await ownRedis();
  const redis = createRedis(redisOptionsFromUrl(server.url), 'commands');
  onTestFinished(() => redis.disconnect());
  const bench = await testBench(3, { url: server.url, redis });
  await bench.store.announce(bench.sweep);
  await startWorker(bench);
  const [first, ...others] = cleanResults(3);
  if (!first) throw new Error('three results');
  await bench.commit(first);
  await until(async () => (await bench.store.countDone(bench.sweep.id)) === 1);
  await redis.flushall();
  await until(() => bench.store.isReady(bench.sweep.id));
  expect(await bench.store.countDone(bench.sweep.id)).toBe(1);
  expect(await bench.store.liveSweeps()).toEqual([bench.sweep.id]);
  for (const result of others) await bench.commit(result);
  await until(isFinished(bench));
  expect((await readLines(folderOf(bench))).map((line) => line.place)).toEqual([0, 1, 2]);
});

it('stops writing when another has taken its lease, and takes what was left pending when it is free again', async () => {
  const bench = await testBench(2);
  await bench.store.announce(bench.sweep);
  const { log, has } = eventLog();
  const worker = await startWorker(bench, log);
  await until(() => bench.store.isReady(bench.sweep.id));
  expect(await (await get(worker, '/metrics')).text()).toContain('haltline_sweep_planned_runs{');
  const { metricsLease, results } = bench.keys.sweep(bench.sweep.id);
  await bench.redis.set(metricsLease, 'another');
  for (const result of cleanResults(2)) await bench.commit(result);
  await until(() => has('lease-lost'));
  // The file may hold what was written before the loss was known; nothing was marked or settled under the other's lease.
  expect(await bench.store.countDone(bench.sweep.id)).toBe(0);
  expect(await bench.redis.xlen(results)).toBe(2);
  expect(await bench.redis.get(metricsLease)).toBe('another');
  // Two workers that serve one sweep's figures would have them summed.
  expect(await (await get(worker, '/metrics')).text()).not.toContain('haltline_sweep_planned_runs{');
  await bench.redis.del(metricsLease);
  await until(isFinished(bench));
  expect((await readLines(folderOf(bench))).map((line) => line.place).sort()).toEqual([0, 1]);
});

it('reports a torn file without changing it', async () => {
  const bench = await testBench(2);
  await bench.store.announce(bench.sweep);
  await startWorker(bench);
  for (const result of cleanResults(2)) await bench.commit(result);
  await until(isFinished(bench));
  const path = join(folderOf(bench), 'runs.jsonl');
  const { length } = await readFile(path);
  await truncate(path, length - 10);
  expect((await summariseFolder(folderOf(bench))).counts.lines).toBe(1);
  expect((await readFile(path)).length).toBe(length - 10);
});

async function readSummary(bench: Bench) {
  return summarySchema.parse(JSON.parse(await readFile(join(folderOf(bench), 'summary.json'), 'utf8')));
}

/** What promtool complains about; `absent` where it isn't installed. */
async function promtoolCheck(text: string): Promise<string> {
  const run = promisify(execFile)('promtool', ['check', 'metrics']);
  run.child.stdin?.on('error', () => undefined);
  run.child.stdin?.end(text);
  try {
    const { stdout, stderr } = await run;
    return stdout + stderr;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'absent';
    throw error;
  }
}
