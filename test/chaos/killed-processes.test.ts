import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunLine } from '../../shared/schemas/run-result.ts';
import { type Summary, summarySchema } from '../../shared/schemas/summary.ts';
import { hasData, type HaltlineProcess, readRunLines } from '../support/processes.ts';
import { type OwnRedis, ownRedis } from '../support/redis.ts';
import { prepareSweep, type SweepProcesses, type WorkerKind } from '../support/sweep-processes.ts';

const kinds = ['generation', 'monitor', 'metrics'] as const;

test.skipIf(!hasData)(
  'kill -9 of each kind of worker and of Redis in the middle of a sweep: one line a run, and the counters equal the file',
  { timeout: 600_000 },
  async () => {
    const redis = await ownRedis({ appendonly: true });
    const sweep = await prepareSweep(redis.url, { tokensPerSecond: 400 });
    for (const kind of [...kinds, 'generation', 'monitor'] as const) sweep.startWorker(kind);
    const producer = sweep.produce();
    for (const [i, kind] of kinds.entries()) {
      await answered(sweep, 6 * (i + 1));
      killAndReplace(sweep, kind);
    }
    await answered(sweep, 30);
    process.kill(redis.pid, 'SIGKILL');
    await redis.restart();
    expect(await producer.ended, producer.stderr()).toBe(0);

    const { summary, lines } = await readResults(sweep, producer);
    expectOneLineEach(lines);
    expect(summary.counts.lines).toBe(lines.length);
    expectAskedOnce(sweep, lines);
  },
);

test.skipIf(!hasData)(
  'kill -9 of everything, Redis without persistence included: started again, only unfinished runs are asked again',
  { timeout: 600_000 },
  async () => {
    const redis = await ownRedis();
    const sweep = await prepareSweep(redis.url, { tokensPerSecond: 400 });
    for (const kind of kinds) sweep.startWorker(kind);
    const first = sweep.produce();
    await expect
      .poll(async () => (await linesOnDisk(sweep)).length, { timeout: 120_000, interval: 50 })
      .toBeGreaterThanOrEqual(20);
    await killAll(sweep, first, redis);
    const before = await linesOnDisk(sweep);
    const askedBefore = sweep.simulator.requests().length + sweep.simulator.openRequests();

    await redis.restart();
    for (const kind of kinds) sweep.startWorker(kind);
    const second = sweep.produce();
    expect(await second.ended, second.stderr()).toBe(0);
    const { lines } = await readResults(sweep, second);
    expectOneLineEach(lines);
    expect(lines.slice(0, before.length)).toEqual(before);
    const askedAgain = sweep.simulator.requests().slice(askedBefore).length;
    expect(askedAgain).toBe(lines.length - before.length);
  },
);

function killAndReplace(sweep: SweepProcesses, kind: WorkerKind): void {
  sweep.workers[kind].at(-1)?.kill('SIGKILL');
  sweep.startWorker(kind);
}

async function killAll(sweep: SweepProcesses, producer: HaltlineProcess, redis: OwnRedis): Promise<void> {
  const all = [producer, ...kinds.flatMap((kind) => sweep.workers[kind])];
  for (const one of all) one.kill('SIGKILL');
  process.kill(redis.pid, 'SIGKILL');
  await Promise.all(all.map((one) => one.ended));
  await expect.poll(() => sweep.simulator.openRequests(), { timeout: 10_000 }).toBe(0);
}

/** Until the target has answered so many requests. */
async function answered(sweep: SweepProcesses, requests: number): Promise<void> {
  await expect
    .poll(() => sweep.simulator.requests().length, { timeout: 120_000, interval: 20 })
    .toBeGreaterThanOrEqual(requests);
}

async function readResults(
  sweep: SweepProcesses,
  producer: HaltlineProcess,
): Promise<{ summary: Summary; lines: RunLine[] }> {
  const summary = summarySchema.parse(JSON.parse(producer.stdout()));
  return { summary, lines: await readRunLines(join(sweep.resultsDir, summary.sweep, 'runs.jsonl')) };
}

async function linesOnDisk(sweep: SweepProcesses): Promise<RunLine[]> {
  const folder = (await readdir(sweep.resultsDir, { withFileTypes: true })).find((entry) =>
    entry.isDirectory(),
  );
  return folder ? readRunLines(join(sweep.resultsDir, folder.name, 'runs.jsonl')) : [];
}

function expectOneLineEach(lines: readonly RunLine[]): void {
  expect(lines.map((line) => line.place).sort((a, b) => a - b)).toEqual([...lines.keys()]);
}

/** Each run was asked once for its committed epoch; what was asked beyond that was an epoch that died. */
function expectAskedOnce(sweep: SweepProcesses, lines: readonly RunLine[]): void {
  const epochs = lines.reduce((sum, line) => sum + line.epoch, 0);
  expect(sweep.simulator.requests().length).toBeLessThanOrEqual(epochs);
  expect(sweep.simulator.requests().length).toBeGreaterThanOrEqual(lines.length);
}
