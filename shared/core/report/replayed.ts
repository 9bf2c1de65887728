import type { Summary, SummaryRow } from '../../schemas/summary.ts';
import { terminalText } from '../terminal-text.ts';
import { describeCounts } from './cells.ts';

/** What is said above the figures of chains that are judged again; nothing of a sweep that ran itself. */
export function replayedHead({ replayed }: Summary): string[] {
  if (replayed === undefined) return [];
  const left = describeCounts(replayed.dropped);
  const without = left === '' ? '' : `; left out: ${terminalText(left)}`;
  return [
    `REPLAYED: ${replayed.runs} stored runs of ${terminalText(replayed.sweep)} judged again, nothing asked of a target${without}`,
  ];
}

/** What is said beside the name of a monitor whose figures are replayed ones. */
export function replayedMark({ replayed }: SummaryRow): string {
  return replayed === undefined ? '' : ', replayed';
}
