import { expect, test } from 'vitest';
import { recordedTarget } from '../../../shared/core/recorded-target.ts';
import { renderReport } from '../../../shared/core/report/table.ts';
import { liveSweepSchema } from '../../../shared/schemas/live-sweep.ts';
import { summarySchema } from '../../../shared/schemas/summary.ts';
import { Fold } from '../../../workers/metrics/fold.ts';
import { sweepSamples } from '../../../workers/metrics/samples.ts';
import { summariseNow } from '../../../workers/metrics/summarise.ts';
import { liveSweep, runLine } from './run-lines.ts';

const live = liveSweep({ total: 2, attacks: [{ id: 'none', name: 'none' }], intervention: 'flag' });
const file = liveSweepSchema.parse({ ...live, spec: { ...live.spec, targets: [recordedTarget] } });

/** Two labelled chains under `rules`, one of them flagged. */
function judgedChains(): Fold {
  const fold = new Fold();
  const chain = { arm: 'guarded', attack: 'none', monitor: 'rules' } as const;
  const result = { target: recordedTarget.id, answer: '4', gold: '', simulated: false };
  fold.add(runLine({ place: 0, cluster: 0, ...chain, result, flag: { when: 'recorded' } }));
  fold.add(runLine({ place: 1, cluster: 1, ...chain, result }));
  return fold;
}

test('a labelled chain has its flags, and no figure of how a target fared or what it cost', () => {
  const summary = summarySchema.parse(summariseNow(file, judgedChains(), { deadLetters: 0, lateUse: {} }));
  expect(summary.rows).toHaveLength(1);
  const [row] = summary.rows;
  expect(row).toMatchObject({ arm: 'guarded', monitor: 'rules', n: 2, flagged: { value: 0.5 } });
  const isOfTarget = (name: string) => /^(asr|taf|laf|versus|clean|hitLimit|un|ref|fil)/.test(name);
  expect(Object.keys(row ?? {}).filter(isOfTarget)).toEqual([]);
  expect(row?.cost).not.toHaveProperty('target');
  expect(summary.cost).not.toHaveProperty('target');
  expect(renderReport(summary)).toContain('tokens: none asked of a target; monitor 0 in');
});

test('no gauge and no counter says how the target of labelled chains fared', () => {
  const fold = judgedChains();
  const summary = summariseNow(file, fold, { deadLetters: 0, lateUse: {} });
  const reading = { total: 2, file, fold, summary, deadLetters: 0, backlogBytes: 0 } as const;
  const names = new Set([...sweepSamples({ ...reading, status: 'running' })].map(({ name }) => name));
  expect(names).toContain('haltline_flagged_ratio');
  expect(names).toContain('haltline_runs_flagged_total');
  expect(
    [...names].filter((name) => /asr|taf|laf|wrong|target_|hit_limit|unanswered|refused|filtered/.test(name)),
  ).toEqual([]);
});
