import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { runLineSchema } from '../../shared/schemas/run-result.ts';
import { startMetricsWorker } from '../../workers/metrics/main.ts';
import { buildJob, createPipeline, type Pipeline, scriptedSteps } from '../support/pipeline.ts';
import { silentLog } from '../support/silent-log.ts';

const fixture = fileURLToPath(new URL('../support/crashing-worker.ts', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Where a generation worker dies, and how often the target is asked for the run in all. The points behind each write of
 * the metrics worker are in test/workers/metrics/crash.test.ts.
 */
const points = [
  { name: 'after start', at: 'RunStore.start', requests: 1, crashRestart: true },
  { name: 'after commit', at: 'RunStore.commit', requests: 1, crashRestart: false },
  {
    name: 'after the results entry',
    kind: 'generation',
    at: 'SweepStore.send',
    requests: 1,
    crashRestart: false,
  },
] as const;

for (const point of points) {
  test(
    `kill -9 ${point.name}: one line, no key left, the target asked once for each committed epoch`,
    { timeout: 90_000 },
    async () => {
      const pipeline = await createPipeline({
        simulator: { script: () => ({ reasoning: scriptedSteps(4), content: ['The answer is 42.'] }) },
      });
      const resultsDir = await mkdtemp(join(tmpdir(), 'haltline-crash-'));
      onTestFinished(() => rm(resultsDir, { recursive: true, force: true }));
      await pipeline.startMonitor();
      const worker = spawnCrashing(pipeline, point.at);
      await pipeline.addJobs([buildJob(pipeline.sweep)]);
      expect(await worker.died).toBe('SIGKILL');

      await pipeline.startGeneration();
      const metrics = await startMetricsWorker({
        ...{ redis: redisOptionsFromUrl(pipeline.url), keys: pipeline.keys, log: silentLog, resultsDir },
        ...{ host: '127.0.0.1', port: 0 },
      });
      onTestFinished(() => metrics.close());
      await expect
        .poll(() => pipeline.sweeps.status(pipeline.sweep.id), { timeout: 60_000, interval: 100 })
        .toBe('finished');

      const lines = await readLines(join(resultsDir, pipeline.sweep.id, 'runs.jsonl'));
      expect(lines.map((line) => line.place)).toEqual([0]);
      expect(lines[0]?.outcome).toEqual({ status: 'answered' });
      expect(lines[0]?.timing.crashRestart).toBe(point.crashRestart);
      expect(pipeline.simulator.requests()).toHaveLength(point.requests);
      await expect.poll(() => runKeys(pipeline), { timeout: 20_000 }).toEqual([]);
      await expect.poll(() => pipeline.redis.xlen(pipeline.keys.sweep(pipeline.sweep.id).results)).toBe(0);
    },
  );
}

function spawnCrashing(pipeline: Pipeline, at: string): { died: Promise<string | null> } {
  const args = ['--import', 'tsx', fixture, at, pipeline.url, pipeline.keys.queuePrefix];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const died = once(child, 'exit').then(([, signal]: unknown[]) =>
    typeof signal === 'string' ? signal : null,
  );
  return { died };
}

async function readLines(path: string) {
  const text = await readFile(path, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => runLineSchema.parse(JSON.parse(line)));
}

async function runKeys(pipeline: Pipeline): Promise<string[]> {
  return pipeline.redis.keys(`${pipeline.keys.queuePrefix}:run:*`);
}
