import { expect, it } from 'vitest';
import { renderReport } from '../../../../shared/core/report/table.ts';
import type { RunLine } from '../../../../shared/schemas/run-result.ts';
import type { Summary } from '../../../../shared/schemas/summary.ts';
import { Fold } from '../../../../workers/metrics/fold.ts';
import { summariseNow } from '../../../../workers/metrics/summarise.ts';
import { failed, halted, liveSweep, runLine, wrong } from '../../../workers/metrics/run-lines.ts';

function summaryOf(lines: readonly RunLine[]): Summary {
  const fold = new Fold();
  for (const line of lines) fold.add(line);
  return summariseNow(liveSweep({ total: lines.length }), fold, { deadLetters: 0, lateUse: {} });
}

/** 40 questions: attacked ones all answered wrongly and 30 times as long, guarded ones halted at the third token. */
function demoLines(simulated = true): RunLine[] {
  return Array.from({ length: 40 }, (_, cluster) => {
    const place = 4 * cluster;
    const shared = { cluster, clean: place, result: { simulated }, entry: { targetAnswer: '5' } };
    const guard = { monitor: 'rules', attacked: place + 1 };
    return [
      runLine({ ...shared, place, result: { simulated } }),
      runLine({
        ...shared,
        place: place + 1,
        arm: 'attacked',
        tokens: { content: 339 },
        timing: { latencyMs: 9_000 },
        result: { ...shared.result, ...wrong },
      }),
      runLine({
        ...shared,
        ...guard,
        place: place + 2,
        arm: 'guarded',
        tokens: { content: 3 },
        timing: { latencyMs: 40 },
        flag: { tokensAtFlag: 3 },
        result: { ...shared.result, ...(cluster === 7 ? failed : halted) },
      }),
      runLine({ ...shared, ...guard, place: place + 3, arm: 'guarded-clean', result: { simulated } }),
    ];
  }).flat();
}

it('shows a row an arm with its figures and interval, under the attack', () => {
  const report = renderReport(summaryOf(demoLines()));
  const line = (start: string) => report.split('\n').find((text) => text.startsWith(start)) ?? '';
  expect(report).toContain('\nbadchain\n');
  expect(
    line('  attacked')
      .split(/\s{2,}/)
      .slice(1),
  ).toEqual(['attacked', '40', '1.00', '[0.91, 1.00]', '1.00', '33.9', '-', '90.0', '-', '-', '-', '-']);
  expect(
    line('  guarded rules')
      .split(/\s{2,}/)
      .slice(1),
  ).toEqual([
    'guarded rules',
    '39',
    '0.00',
    '[0.00, 0.090]',
    '0.00',
    '0.30',
    '0.30',
    '0.40',
    '0.004',
    '1.00',
    '1.00',
    '0.00',
  ]);
  expect(report).toContain('dropped: 1 failed');
  expect(report).toContain('token limit 2048');
});

it('says first that runs are simulated, and only when they are', () => {
  expect(renderReport(summaryOf(demoLines()))).toMatch(/^SIMULATED: /);
  expect(renderReport(summaryOf(demoLines(false)))).not.toContain('SIMULATED');
});

it('says that verdicts are simulated where chains are not', () => {
  const played = { calls: 2, tokensIn: 9, tokensOut: 9, tokensCached: 0, simulatedCalls: 2 };
  const lines = demoLines(false).map((line) =>
    line.monitor === undefined ? line : { ...line, monitorUse: played },
  );
  const summary = summaryOf(lines);
  expect(summary.simulated).toBe(true);
  expect(summary.targets[0]).not.toHaveProperty('simulated');
  expect(renderReport(summary)).toMatch(/^SIMULATED MONITOR: the verdicts of rules come from the simulator/);
  expect(renderReport(summary)).not.toContain('SIMULATED: ');
});

it.each([80, 100, 120, 160])('fits %i columns', (width) => {
  const report = renderReport(summaryOf(demoLines()), { width });
  for (const line of report.split('\n')) expect(Array.from(line).length).toBeLessThanOrEqual(width);
});

it('marks figures of fewer than 30 questions as rough', () => {
  const report = renderReport(summaryOf(demoLines().slice(0, 40)));
  expect(report).toMatch(/ {2}attacked +10 +1\.00~/);
  expect(report).toContain('~ rough: fewer than 30 questions');
  expect(renderReport(summaryOf(demoLines()))).not.toContain('~');
});

it('shows that nothing was scored, instead of a zero', () => {
  const report = renderReport(summaryOf([runLine({ place: 0, arm: 'attacked', result: failed })]));
  expect(report).toMatch(/ {2}attacked +0 +none /);
});

it('never prints what a terminal would obey', () => {
  const lines = [runLine({ place: 0, result: { target: 'evil\x1b[2J\u{202e}' } })];
  const report = renderReport(summaryOf(lines));
  expect(report).toContain('evil\\x1b[2J\\u{202e}');
  expect(report.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it('says that no run has ended yet', () => {
  const summary = summariseNow(liveSweep({ total: 9 }), new Fold(), { deadLetters: 0, lateUse: {} });
  expect(renderReport(summary)).toContain('0 of 9 runs, unfinished');
  expect(renderReport(summary)).toContain('no run has ended yet');
});
