import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { feedSweep } from '../../producers/feed-sweep.ts';
import { loadSpec } from '../../producers/load-spec.ts';
import { prepareSweep } from '../../scripts/prepare-sweep.ts';
import { createSimulator } from '../../scripts/simulator/create-simulator.ts';
import { redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { createKeys } from '../../shared/redis/keys.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { summarySchema } from '../../shared/schemas/summary.ts';
import { startGenerationWorker } from '../../workers/generation/main.ts';
import { summariseFolder } from '../../workers/metrics/summarise-folder.ts';
import { startMetricsWorker } from '../../workers/metrics/main.ts';
import { startMonitorWorker } from '../../workers/monitor/main.ts';
import { readRunLines, temporaryFolder, writeSpec } from '../support/processes.ts';
import { testRedis } from '../support/redis.ts';
import { folderWith, startCommand } from '../support/run-command.ts';
import { silentLog } from '../support/silent-log.ts';

const prices = {
  'sim-instruct': { inputPerMTok: 1, outputPerMTok: 10 },
  'sim-monitor': { inputPerMTok: 10, outputPerMTok: 10 },
};

/** Eight generation workers, a monitor and a metrics worker on one sweep, and what feeds it. */
async function startSweep() {
  const { url, redis, prefix } = testRedis();
  const keys = createKeys(prefix);
  const simulator = await createSimulator({ tokensPerSecond: 2_000 });
  const dir = await temporaryFolder();
  const base = { redis: redisOptionsFromUrl(url), keys, log: silentLog };
  const workers = await Promise.all([
    ...Array.from({ length: 8 }, () => startGenerationWorker({ ...base, env: {} })),
    startMonitorWorker(base),
    startMetricsWorker({ ...base, resultsDir: dir, host: '127.0.0.1', port: 0 }),
  ]);
  onTestFinished(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await simulator.close();
  });
  const feed = async (limits: object, more: object = {}) => {
    const path = await writeSpec(dir, {
      name: 'capped',
      targets: [
        {
          id: 'sim',
          concurrency: 2,
          config: { apiBaseUrl: simulator.url, model: 'sim-instruct' },
          decoding: { maxTokens: 400 },
        },
      ],
      attacks: ['badchain'],
      datasets: [{ id: 'arithmetic', limit: 8 }],
      prices,
      limits,
      ...more,
    });
    const { sweep, plan } = await prepareSweep(await loadSpec(path, {}));
    const signal = new AbortController().signal;
    const end = await feedSweep({ sweep, plan, redis, keys, log: silentLog, signal, pace: { lookMs: 50 } });
    return { end, sweep };
  };
  const lines = (sweep: string) => readRunLines(join(dir, sweep, 'runs.jsonl'));
  return { feed, lines, store: new SweepStore(redis, keys), simulator, dir };
}

test(
  'a spend cap holds over eight workers, with no overshoot, and the sweep goes on when it is raised',
  { timeout: 240_000 },
  async () => {
    const { feed, lines, store, simulator, dir } = await startSweep();
    const maxCost = 0.02;
    const first = await feed({ maxCost });
    const { id } = first.sweep;
    expect([first.end, await store.status(id), await store.cap(id)]).toEqual(['capped', 'capped', 'maxCost']);

    const done = await lines(id);
    const { spent, open } = await store.spend(id);
    const { cost } = await summariseFolder(join(dir, id));
    console.log('caps:', { maxCost, spent, runs: done.length, total: first.sweep.total });
    expect(spent.runs).toBe(done.length);
    expect(done.length).toBeGreaterThan(3);
    expect(done.length).toBeLessThan(first.sweep.total);
    expect(spent.money).toBeLessThanOrEqual(maxCost);
    expect(cost.money).toBeCloseTo(spent.money, 6);
    expect(open.runs).toBe(0);
    expect(simulator.requests()).toHaveLength(done.length);

    const second = await feed({ maxCost: 10 });
    expect(second).toMatchObject({ end: 'finished', sweep: { id } });
    expect(await lines(id)).toHaveLength(second.sweep.total);
    expect(simulator.requests()).toHaveLength(second.sweep.total);
  },
);

test(
  'what a monitor model costs counts under the cap too, as it is spent, and goes over by no more than what was in flight',
  { timeout: 240_000 },
  async () => {
    const { feed, lines, store, simulator, dir } = await startSweep();
    const maxCost = 0.3;
    const judge = { id: 'judge', name: 'llm', config: { apiBaseUrl: simulator.url, model: 'sim-monitor' } };
    const { end, sweep } = await feed({ maxCost }, { monitors: [judge], arms: ['guarded'], repeat: 8 });
    expect([end, await store.cap(sweep.id)]).toEqual(['capped', 'maxCost']);
    const done = await lines(sweep.id);
    expect(done.length).toBeLessThan(sweep.total);
    const { spent } = await store.spend(sweep.id);
    const { cost } = await summariseFolder(join(dir, sweep.id));
    expect(cost.monitor.money).toBeGreaterThan(0.5 * maxCost);
    expect(spent.money).toBeCloseTo(cost.money ?? 0, 6);
    const dearest = Math.max(
      ...done.map(({ monitorUse }) => (monitorUse.tokensIn + monitorUse.tokensOut) / 1e5),
    );
    const overshoot = Math.max(0, spent.money - maxCost);
    console.log('cap with a priced monitor:', { maxCost, spent, overshoot, dearest });
    expect(overshoot).toBeLessThanOrEqual(16 * dearest);
  },
);

test('no run begins after the wall time, and each start has as much', { timeout: 120_000 }, async () => {
  const { feed, lines, store } = await startSweep();
  const first = await feed({ maxWallTimeMinutes: 1e-9 });
  const { id } = first.sweep;
  expect([first.end, await store.cap(id)]).toEqual(['capped', 'maxWallTimeMinutes']);
  expect(await lines(id)).toEqual([]);
  expect((await feed({ maxWallTimeMinutes: 60 })).end).toBe('finished');
});

test('the command says what capped the sweep, exits with 3, and resumes', { timeout: 240_000 }, async () => {
  const simulator = await createSimulator();
  onTestFinished(() => simulator.close());
  const specWith = (maxRuns: number): string => `
name: capped
targets: [{ id: a, config: { apiBaseUrl: "${simulator.url}", model: sim-instruct } }]
attacks: [badchain]
datasets: [{ id: arithmetic, limit: 3 }]
limits: { maxRuns: ${String(maxRuns)} }
`;
  const cwd = await folderWith({ 'few.yaml': specWith(4), 'more.yaml': specWith(100) });
  const first = await startCommand(['run', 'few.yaml', '--json'], { cwd }).ended;
  expect(first).toMatchObject({ code: 3 });
  expect(first.stderr).toContain(
    'limits.maxRuns is reached: 4 of 4 runs made (overshoot 0); 4 of 15 runs are on disk',
  );
  const capped = summarySchema.parse(JSON.parse(first.stdout));
  expect(capped).toMatchObject({ complete: false, counts: { lines: 4 } });

  const second = await startCommand(['run', 'more.yaml', '--json'], { cwd }).ended;
  expect(second).toMatchObject({ code: 0 });
  const summary = summarySchema.parse(JSON.parse(second.stdout));
  expect(summary).toMatchObject({ sweep: capped.sweep, complete: true, counts: { lines: 15, repeats: 0 } });
  expect(simulator.requests()).toHaveLength(15);
});
