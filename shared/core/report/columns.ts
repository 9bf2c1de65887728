import { clip } from '../terminal-text.ts';

/** A column: its head in two lines, its cells aligned to the left or the right. */
export interface Column {
  readonly head: readonly [string, string];
  readonly align: 'left' | 'right';
  /** May be cut short when the table is too wide. */
  readonly clips?: true;
}

/**
 * Lays cells out under their heads, at most `width` wide where that can be had: gaps shrink first, then columns that may
 * be clipped, to no less than eight. Cells hold no line breaks.
 *
 * @param rows - a text instead of cells is a heading that spans the table
 */
export function layOut(
  columns: readonly Column[],
  rows: readonly (readonly string[] | string)[],
  width: number,
): string[] {
  const cells = rows.filter((row): row is readonly string[] => typeof row !== 'string');
  const natural = columns.map(({ head }, place) =>
    Math.max(...head.map(length), ...cells.map((row) => length(row[place] ?? ''))),
  );
  const total = natural.reduce((sum, column) => sum + column, 0);
  const gap = total + 2 * (columns.length - 1) <= width ? 2 : 1;
  const over = Math.max(0, total + gap * (columns.length - 1) - width);
  const widths = columns.map(({ clips }, place) => {
    const wanted = natural[place] ?? 0;
    return clips ? Math.max(Math.min(8, wanted), wanted - over) : wanted;
  });
  const line = (texts: readonly string[]) =>
    columns
      .map(({ align }, place) => pad(texts[place] ?? '', widths[place] ?? 0, align))
      .join(' '.repeat(gap))
      .trimEnd();
  const full = widths.reduce((sum, column) => sum + column, 0) + gap * (columns.length - 1);
  return [
    line(columns.map(({ head }) => head[0])),
    line(columns.map(({ head }) => head[1])),
    '─'.repeat(full),
    ...rows.map((row) => (typeof row === 'string' ? clip(row, Math.max(full, width)) : line(row))),
  ];
}

function length(text: string): number {
  return Array.from(text).length;
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const clipped = clip(text, width);
  const space = ' '.repeat(Math.max(0, width - length(clipped)));
  return align === 'left' ? clipped + space : space + clipped;
}
