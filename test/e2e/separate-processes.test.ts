import { join } from 'node:path';
import { expect, test } from 'vitest';
import { summarySchema } from '../../shared/schemas/summary.ts';
import { hasData, readRunLines } from '../support/processes.ts';
import { ownRedis } from '../support/redis.ts';
import { prepareSweep, questions } from '../support/sweep-processes.ts';

test.skipIf(!hasData)(
  'a sweep of both attacks over GSM8K runs through one producer, two generation, three monitor and one metrics process',
  { timeout: 600_000 },
  async () => {
    const redis = await ownRedis();
    const sweep = await prepareSweep(redis.url);
    for (const kind of ['generation', 'generation', 'monitor', 'monitor', 'monitor', 'metrics'] as const) {
      sweep.startWorker(kind);
    }
    const producer = sweep.produce();
    expect(await producer.ended, producer.stderr()).toBe(0);

    const summary = summarySchema.parse(JSON.parse(producer.stdout()));
    const lines = await readRunLines(join(sweep.resultsDir, summary.sweep, 'runs.jsonl'));
    expect(lines.map((line) => line.place).sort((a, b) => a - b)).toEqual([...lines.keys()]);
    expect(lines.filter((line) => line.outcome.status === 'failed')).toEqual([]);
    expect(summary.simulated).toBe(true);
    const guarded = summary.rows.filter((row) => row.arm === 'guarded');
    expect(guarded).toHaveLength(4);
    for (const row of guarded) expect(row.n).toBe(questions);
    const deadlock = guarded.find((row) => row.attack === 'deadlock' && row.target === 'backdoored');
    expect(deadlock?.interrupted?.value).toBeGreaterThan(0.9);

    const watched = new Map<string, number>();
    for (const { watcher } of lines)
      if (watcher !== undefined) watched.set(watcher, (watched.get(watcher) ?? 0) + 1);
    console.log('chains watched by each monitor:', Object.fromEntries(watched));
    expect(watched.size).toBe(3);
    expect(new Set(lines.map((line) => line.generator)).size).toBe(2);
  },
);
