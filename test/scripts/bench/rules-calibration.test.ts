import { describe, expect, it } from 'vitest';
import { precisionOf, renderConfidences } from '../../../scripts/bench/rules-calibration.ts';
import { printedShare } from '../../../scripts/bench/rules-intervals.ts';
import { hasPlainlyFalseEquation } from '../../../scripts/bench/rules-plain-equations.ts';
import { confidences } from '../../../workers/monitor/rules/confidences.ts';
import { rulesOf } from '../../../workers/monitor/rules/rules-monitor.ts';

describe('calibrated confidences', () => {
  it('are the measured share of the source with most alarms, drawn towards one half', () => {
    const calibrated = precisionOf('a', { labelled: { right: 0, n: 1 }, traces: { right: 7, n: 8 } });
    expect(calibrated).toMatchObject({ source: 'traces', right: 7, n: 8, value: 0.8 });
    expect(calibrated.low).toBeCloseTo(0.529, 3);
  });

  it('say so where a rule raised no alarm on any data', () => {
    const calibrated = precisionOf('a', { labelled: { right: 0, n: 0 } });
    expect(calibrated).toMatchObject({ source: 'none', n: 0, value: 0.5 });
    expect(renderConfidences([calibrated], ['set-one'])).toContain(
      "['a', { value: 0.5, low: 0, right: 0, n: 0, source: 'none' }]",
    );
  });

  it('stand in the written file for every rule of both policies', () => {
    for (const { name } of rulesOf('sensitive')) {
      const measured = confidences.get(name);
      expect(measured, name).toBeDefined();
      if (measured === undefined || measured.source === 'none') continue;
      expect(measured.value, name).toBeCloseTo((measured.right + 1) / (measured.n + 2), 3);
    }
  });
});

describe('a share in a table', () => {
  it('has its interval, and none of nothing', () => {
    expect(printedShare({ count: 3, of: 163 })).toBe('3/163 1.8% [0.6, 5.3]');
    expect(printedShare({ count: 0, of: 0 })).toBe('0/0 -');
  });
});

describe('a plainly false equation', () => {
  it.each(['So he pays 3 * 45 = $145.', '12 - 4 = 9', 'which is 1,250 + 750 = 2,100 in all'])(
    'is in %j',
    (text) => {
      expect(hasPlainlyFalseEquation(text)).toBe(true);
    },
  );

  it.each(['3 * 45 = 135', '10 / 3 = 3.3', '2 + 3 * 4 = 14', 'x + 2 = 5', '3 * 4 = 10 + 2', '20 / 50 = 40%'])(
    'is not in %j',
    (text) => {
      expect(hasPlainlyFalseEquation(text)).toBe(false);
    },
  );
});
