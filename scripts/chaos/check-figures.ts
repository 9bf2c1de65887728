import { isDeepStrictEqual } from 'node:util';
import type { RunLine } from '../../shared/schemas/run-result.ts';
import type { Summary } from '../../shared/schemas/summary.ts';
import type { Check } from './check.ts';

export interface Figures {
  readonly lines: readonly RunLine[];
  /** What the metrics worker folded while the sweep ran, as the producer printed it. */
  readonly printed: Summary;
  /** The same figures, from the file alone. */
  readonly refolded: Summary;
  /** The sum of `haltline_runs_total`, as each metrics worker serves it; none for one that has not served the sweep. */
  readonly served: readonly (number | undefined)[];
}

/** The figures served, the figures printed and the file are of one mind. */
export function checkFigures({ lines, printed, refolded, served }: Figures): Check {
  const problems: string[] = [];
  const runs = new Set(lines.map(({ place }) => place)).size;
  if (printed.counts.lines !== runs)
    problems.push(`the fold has ${printed.counts.lines} lines, the file ${runs}`);
  const repeats = lines.length - runs;
  if (printed.counts.repeats > repeats)
    problems.push(`the fold has ${printed.counts.repeats} repeats, the file ${repeats}`);
  if (printed.counts.unreadableLines > 0)
    problems.push(`${printed.counts.unreadableLines} lines are unreadable`);
  if (printed.counts.deadLetters > 0) problems.push(`${printed.counts.deadLetters} dead letters`);
  if (!isDeepStrictEqual(comparable(printed), comparable(refolded)))
    problems.push('the figures printed are not those of the file folded anew');
  const counts = served.filter((count) => count !== undefined);
  if (!counts.includes(runs))
    problems.push(`no metrics worker counts ${runs} runs; they count ${counts.join(', ')}`);
  const detail = `${runs} lines, ${printed.counts.lines} in the fold, ${counts.join(' and ')} in the counters`;
  return { name: 'counters, fold and file agree', problems, detail };
}

/** Dead letters and late bookings stand in Redis alone; a repeat may be written after the summary was. */
function comparable(summary: Summary): Summary {
  return { ...summary, counts: { ...summary.counts, deadLetters: 0, lateUse: {}, repeats: 0 } };
}

/** The sum of the counter over all its labels, of a page in Prometheus's text format; undefined when it has none. */
export function sumOfCounter(page: string, name: string): number | undefined {
  const values = page
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}
