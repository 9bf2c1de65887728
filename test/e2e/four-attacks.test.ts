import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderReport } from '../../shared/core/report/table.ts';
import { type SummaryRow, summarySchema } from '../../shared/schemas/summary.ts';
import { hasData, readRunLines } from '../support/processes.ts';
import { ownRedis } from '../support/redis.ts';
import { prepareSweep, questionFile } from '../support/sweep-processes.ts';

/** Of each data set; `HALTLINE_E2E_QUESTIONS=100` is the full form. */
const limit = Number(process.env['HALTLINE_E2E_QUESTIONS'] ?? 3);
const attacks = ['badchain', 'paa', 'overthink', 'deadlock'];
const datasets = [
  { id: 'gsm8k', path: questionFile('gsm8k_test.jsonl'), limit },
  { id: 'commonsenseqa', path: questionFile('commonsenseqa_dev.jsonl'), limit },
  { id: 'squad', path: questionFile('squad_dev_subset.jsonl'), limit },
];

test.skipIf(!hasData)(
  'a sweep of all four attacks over three data sets runs through processes of their own, without a failed run',
  { timeout: 1_200_000 },
  async () => {
    const redis = await ownRedis();
    const sweep = await prepareSweep(
      redis.url,
      { logEntries: 0 },
      { name: 'four-attacks', attacks, datasets },
    );
    for (const kind of ['generation', 'monitor', 'metrics'] as const) sweep.startWorker(kind);
    const startedAtMs = performance.now();
    const producer = sweep.produce();
    expect(await producer.ended, producer.stderr()).toBe(0);
    const seconds = (performance.now() - startedAtMs) / 1000;

    const summary = summarySchema.parse(JSON.parse(producer.stdout()));
    console.log(renderReport(summary, { width: 140 }));
    console.log(`four attacks: ${String(summary.counts.total)} runs in ${seconds.toFixed(0)} s`);
    const lines = await readRunLines(join(sweep.resultsDir, summary.sweep, 'runs.jsonl'));
    expect(lines.map((line) => line.place).sort((a, b) => a - b)).toEqual([...lines.keys()]);
    expect(lines.filter((line) => line.outcome.status === 'failed')).toEqual([]);
    expect(summary.complete).toBe(true);

    const row = (target: string, attack: string, dataset: string, arm: string): SummaryRow | undefined =>
      summary.rows.find(
        (candidate) =>
          candidate.target === target &&
          candidate.attack === attack &&
          candidate.dataset === dataset &&
          candidate.arm === arm,
      );
    for (const { id: dataset } of datasets) {
      for (const attack of attacks) {
        for (const target of ['instruct', 'backdoored']) {
          for (const arm of ['clean', 'attacked', 'guarded', 'guarded-clean'])
            expect(row(target, attack, dataset, arm)?.n, `${target} ${attack} ${dataset} ${arm}`).toBe(limit);
        }
      }
      expect(row('backdoored', 'deadlock', dataset, 'attacked')?.hitLimit?.value).toBe(1);
      expect(row('backdoored', 'deadlock', dataset, 'clean')?.hitLimit?.value).toBe(0);
      expect(row('backdoored', 'deadlock', dataset, 'guarded')?.interrupted?.value).toBeGreaterThan(0);
      expect(row('instruct', 'deadlock', dataset, 'attacked')?.hitLimit?.value).toBe(0);
    }
  },
);
