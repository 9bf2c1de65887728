import { wilson } from '../../shared/core/statistics/wilson.ts';
import type { Share } from './rules-figures.ts';

/** A share with its Wilson 95% interval: `3/163 1.8% [0.6, 5.3]`; `0/0 -` when there is nothing to share. */
export function printedShare({ count, of }: Share): string {
  if (of === 0) return '0/0 -';
  const { low, high } = wilson(count, of);
  const percent = (value: number): string => (100 * value).toFixed(1);
  return `${count}/${of} ${percent(count / of)}% [${percent(low)}, ${percent(high)}]`;
}
