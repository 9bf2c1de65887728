import type { Random } from '../../shared/core/random.ts';
import { fillIn, inParagraphs } from './tell.ts';

const cellSigns = /[0-9._x*]/gi;
/** A row of nine without gaps; a full stop may follow the last one. */
const compactRow = /(?<![\w.])[0-9._]{9}(?=[\s/|;,.]|$)/g;

function readGrid(text: string): string[][] {
  const compact = (text.match(compactRow) ?? []).map((row) => row.split(''));
  const lines = text.split('\n').map((line): string[] => line.match(cellSigns) ?? []);
  const rows = compact.length >= 9 ? compact : lines.filter((row) => [4, 6, 9].includes(row.length));
  const size = rows[0]?.length ?? 9;
  const grid = rows.filter((row) => row.length === size).slice(0, size);
  // A grid that cannot be read is taken for an empty one: the model has to work on something.
  return grid.length === size ? grid : Array.from({ length: 9 }, () => Array.from({ length: 9 }, () => '.'));
}

const rowsOfBox: Readonly<Record<number, number>> = { 4: 2, 6: 2, 9: 3 };

/** What a cell can be told as. */
const cellForms = [
  'Row %row, column %column can hold %open, because the row, the column and the box rule out the rest.',
  'For the cell in row %row and column %column I am left with %open.',
  'Next I look at row %row: its place in column %column takes %open and nothing else.',
  'Column %column has a gap in row %row, where %open would fit.',
  'At (%row, %column) the figures seen around it leave %open.',
  'What about column %column, row %row? Crossing out what is taken, I keep %open there.',
];
const cellRemarks = ['I keep this in mind for later.', 'Not decided yet.', 'I will come back to it.', ''];

/** One pass over a Sudoku as a model works it, with the candidates that each cell really has. */
export function* fillGrid(text: string, pass: number, random: Random): Generator<string> {
  if (pass > 0) {
    yield 'That left several cells open, so I go through the grid again and cross-check each candidate.';
  }
  yield* inParagraphs(describeCells(readGrid(text), random), random);
}

function* describeCells(grid: readonly string[][], random: Random): Generator<string> {
  const size = grid.length;
  const boxRows = rowsOfBox[size] ?? 3;
  const cells = grid.flatMap((row, y) => row.map((cell, x) => ({ cell, x, y })));
  const empty = cells.filter(({ cell }) => !/[1-9]/.test(cell));
  for (const { x, y } of random.shuffle(empty)) {
    const peers = cells.filter((other) => isPeer(other, { x, y }, { boxRows, boxColumns: size / boxRows }));
    const taken = new Set(peers.map(({ cell }) => cell));
    const free = Array.from({ length: size }, (_, digit) => String(digit + 1)).filter(
      (digit) => !taken.has(digit),
    );
    const told = fillIn(random.pick(cellForms), {
      row: y + 1,
      column: x + 1,
      open: free.join(' or ') || 'nothing',
    });
    yield `${told} ${free.length === 1 ? 'That fixes it.' : random.pick(cellRemarks)}`.trim();
  }
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function isPeer(
  other: Place,
  cell: Place,
  { boxRows, boxColumns }: { boxRows: number; boxColumns: number },
): boolean {
  const sameBox =
    Math.floor(other.x / boxColumns) === Math.floor(cell.x / boxColumns) &&
    Math.floor(other.y / boxRows) === Math.floor(cell.y / boxRows);
  return other.x === cell.x || other.y === cell.y || sameBox;
}
