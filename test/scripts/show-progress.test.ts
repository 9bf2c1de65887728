import { expect, it } from 'vitest';
import { exitCodeOf } from '../../scripts/print-report.ts';
import { describeDuration, describeProgress } from '../../scripts/show-progress.ts';
import type { Summary } from '../../shared/schemas/summary.ts';

const progress = {
  done: 120,
  total: 480,
  waiting: 300,
  inRetry: 2,
  active: 16,
  ratePerSecond: 24,
  etaMs: 15_000,
};

it('progress is told in one line', () => {
  expect(describeProgress(progress)).toBe(
    '120 of 480 runs, 24.0 a second, about 15 s left (16 running, 300 waiting, 2 in retry)',
  );
  expect(describeProgress({ ...progress, ratePerSecond: undefined, etaMs: undefined })).toContain(
    'time left unknown',
  );
});

it('durations are told in a unit that fits', () => {
  expect([400, 89_000, 100_000, 11_520_000].map(describeDuration)).toEqual(['1 s', '89 s', '2 min', '3.2 h']);
});

it('a sweep that produced nothing to score exits 1', () => {
  const code = (outcomes: Record<string, number>): number => {
    const counts: Summary['counts'] = {
      ...{ total: 9, lines: 9, repeats: 0, unreadableLines: 0, outcomes, crashRestarts: 0, reused: 0 },
      ...{ deadLetters: 0, lateUse: {}, generators: {}, watchers: {} },
    };
    return exitCodeOf({ counts });
  };
  expect(code({})).toBe(1);
  expect(code({ failed: 5, halted_monitor_error: 4 })).toBe(1);
  expect(code({ failed: 8, answered: 1 })).toBe(0);
});
