import type { Summary, SummaryRow } from '../../schemas/summary.ts';
import { terminalText } from '../terminal-text.ts';
import { attackCell } from './attack-title.ts';
import { figureCell, intervalCell } from './cells.ts';
import { type Column, layOut } from './columns.ts';
import { reportNotes } from './notes.ts';
import { replayedHead, replayedMark } from './replayed.ts';
import { simulatedHead, simulatedIn } from './simulated.ts';
import { wrap } from './wrap.ts';

const columns: readonly Column[] = [
  { head: ['', 'arm'], align: 'left', clips: true },
  { head: ['', 'n'], align: 'right' },
  { head: ['ASR', 'wrong'], align: 'right' },
  { head: ['', '[95%]'], align: 'left' },
  { head: ['ASR', 'target'], align: 'right' },
  { head: ['', 'TAF'], align: 'right' },
  { head: ['TAF', 'at flag'], align: 'right' },
  { head: ['LAF vs', 'clean'], align: 'right' },
  { head: ['LAF', 'guarded'], align: 'right' },
  { head: ['', 'flagged'], align: 'right' },
  { head: ['inter-', 'rupted'], align: 'right' },
  { head: ['false', 'interr.'], align: 'right' },
];
const intervalColumn = 3;
/** Under this width the intervals are left to `summary.json`. */
const narrow = 100;

/**
 * A summary as text for a terminal: for each target and data set a table of attacks by arms, and notes on what the
 * figures rest on. Texts from outside (ids, names of workers) are escaped.
 *
 * @param options - `width` in columns; 120 when left out. The table fits from 80 on
 */
export function renderReport(summary: Summary, options: { readonly width?: number } = {}): string {
  const width = Math.max(80, options.width ?? 120);
  const lines = reportHead(summary).flatMap((line) => wrap(line, width));
  for (const group of tables(summary.rows)) {
    const [first] = group;
    if (first === undefined) continue;
    lines.push('', `target ${terminalText(first.target)}, data set ${terminalText(first.dataset)}`, '');
    lines.push(...renderTable(summary, group, width));
  }
  if (summary.rows.length === 0) lines.push('', 'no run has ended yet');
  lines.push('', ...reportNotes(summary).flatMap((note) => wrap(note, width)));
  return `${lines.join('\n')}\n`;
}

function reportHead(summary: Summary): string[] {
  const { lines, total } = summary.counts;
  const progress = summary.complete ? `${lines} runs` : `${lines} of ${total} runs, unfinished`;
  const monitors = summary.monitors.map(({ id, sees }) => `${terminalText(id)} (sees: ${sees})`).join(', ');
  return [
    ...simulatedHead(simulatedIn(summary)),
    `sweep ${terminalText(summary.name)} (${terminalText(summary.sweep)}): ${progress}`,
    ...replayedHead(summary),
    `monitors: ${monitors || 'none'}; on an unsafe verdict: ${summary.intervention}; on no verdict: fail ${summary.fail}`,
  ];
}

/** Rows of one target and data set each, in the order of the summary. */
function tables(rows: readonly SummaryRow[]): SummaryRow[][] {
  const groups = new Map<string, SummaryRow[]>();
  for (const row of rows) {
    const name = `${row.target}|${row.dataset}`;
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups.values()];
}

function renderTable(summary: Summary, rows: readonly SummaryRow[], width: number): string[] {
  const shown = width < narrow ? columns.filter((_, place) => place !== intervalColumn) : columns;
  let attack: string | undefined;
  const cells = rows.flatMap((row) => {
    const heading = row.attack === attack ? [] : [attackCell(summary, row.attack)];
    attack = row.attack;
    const all = rowCells(row);
    return [...heading, width < narrow ? all.filter((_, place) => place !== intervalColumn) : all];
  });
  return layOut(shown, cells, width);
}

function rowCells(row: SummaryRow): string[] {
  const monitor = row.monitor === undefined ? '' : ` ${terminalText(row.monitor)}`;
  return [
    `  ${row.arm}${monitor}${replayedMark(row)}`,
    String(row.n),
    figureCell(row.asrWrong),
    row.asrWrong === undefined ? '' : intervalCell(row.asrWrong),
    figureCell(row.asrTarget),
    figureCell(row.taf),
    figureCell(row.tafAtFlag),
    figureCell(row.lafVsClean),
    figureCell(row.lafGuarded),
    figureCell(row.flagged),
    figureCell(row.interrupted),
    figureCell(row.falseInterrupts),
  ];
}
