import type { Estimate } from '../../schemas/estimate.ts';

/** A figure that doesn't apply to the row, one that had nothing to go on, one that cannot be measured. */
export const cellMarks = { absent: '-', empty: 'none', unmeasurable: 'n/m', rough: '~' } as const;

/** A share or ratio for a cell: `0.78`, `33.9`, `0.012`; a trailing `~` where it is rough. */
export function figureCell(figure: Estimate | undefined): string {
  if (figure === undefined) return cellMarks.absent;
  if (figure.value === undefined) {
    return (figure.dropped['notMeasurable'] ?? 0) > 0 ? cellMarks.unmeasurable : cellMarks.empty;
  }
  return `${formatNumber(figure.value)}${figure.rough === true ? cellMarks.rough : ''}`;
}

/** The 95% interval: `[0.69, 0.85]`, empty without one. */
export function intervalCell({ low, high }: Estimate): string {
  return low === undefined || high === undefined ? '' : `[${formatNumber(low)}, ${formatNumber(high)}]`;
}

/** Two decimals near one, fewer above ten, more under a tenth: always two or three digits that mean something. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  // What is left of a 0 by rounding, as the low end of an interval.
  if (size < 1e-12) return '0.00';
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 9.995) return value.toFixed(1);
  if (size >= 0.0995) return value.toFixed(2);
  return size >= 0.0005 ? value.toFixed(3) : value.toExponential(0);
}

/** `12 failed, 3 monitorError`; empty when nothing was dropped. */
export function describeCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${reasonNames[reason] ?? reason}`)
    .join(', ');
}

const reasonNames: Readonly<Record<string, string>> = {
  monitorError: 'halted for a monitor error',
  partnerMissing: 'without the run to compare with',
  partnerUnscored: 'compared with a run that was not scored',
  zeroDenominator: 'compared with nothing (0)',
  notMeasurable: 'not measurable (hidden reasoning)',
  noUsage: 'without usage',
  crashRestart: 'restarted after a crash',
  reused: 'reused from another sweep',
  noLatency: 'without latency',
  notApplicable: 'not applicable',
  chainMissing: 'without their chain file',
  chainUnreadable: 'with an unreadable chain',
  chainPartial: 'with a chain that is not whole',
  promptChanged: 'with a prompt that is rendered otherwise now',
  notRun: 'not run, or without a readable line',
  tooLarge: 'too large for a job',
};
