import type { Random } from '../../../shared/core/random.ts';

/** 81 cells, row by row; 0 is empty. */
export type Grid = readonly number[];

const CELLS = 81;
const ALL = 0b1_1111_1111;

function boxOf(cell: number): number {
  return Math.floor(cell / 27) * 3 + Math.floor((cell % 9) / 3);
}

interface Search {
  readonly cells: number[];
  /** Bits of the figures used in each row, column and box. */
  readonly rows: number[];
  readonly columns: number[];
  readonly boxes: number[];
}

function place(search: Search, cell: number, bit: number): void {
  const [row, column] = [Math.floor(cell / 9), cell % 9];
  search.rows[row] = (search.rows[row] ?? 0) ^ bit;
  search.columns[column] = (search.columns[column] ?? 0) ^ bit;
  search.boxes[boxOf(cell)] = (search.boxes[boxOf(cell)] ?? 0) ^ bit;
}

function candidateBits({ rows, columns, boxes }: Search, cell: number): number {
  const used = (rows[Math.floor(cell / 9)] ?? 0) | (columns[cell % 9] ?? 0) | (boxes[boxOf(cell)] ?? 0);
  return ALL & ~used;
}

function bitCount(bits: number): number {
  let [count, rest] = [0, bits];
  for (; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

function figuresOf(bits: number): number[] {
  return Array.from({ length: 9 }, (_, index) => index + 1).filter((figure) => bits & (1 << (figure - 1)));
}

/** The empty cell with the fewest candidates, or undefined in a full grid. */
function tightestCell(search: Search): number | undefined {
  let [best, fewest] = [-1, 10];
  for (let cell = 0; cell < CELLS && fewest > 1; cell += 1) {
    if (search.cells[cell] !== 0) continue;
    const count = bitCount(candidateBits(search, cell));
    if (count < fewest) [best, fewest] = [cell, count];
  }
  return best < 0 ? undefined : best;
}

/** Fills the grid depth first; `onSolution` returns whether to go on looking. */
function explore(
  search: Search | undefined,
  order: (figures: number[]) => number[],
  onSolution: (cells: Grid) => boolean,
): boolean {
  if (search === undefined) return true;
  const cell = tightestCell(search);
  if (cell === undefined) return onSolution([...search.cells]);
  for (const figure of order(figuresOf(candidateBits(search, cell)))) {
    const bit = 1 << (figure - 1);
    search.cells[cell] = figure;
    place(search, cell, bit);
    const goesOn = explore(search, order, onSolution);
    place(search, cell, bit);
    search.cells[cell] = 0;
    if (!goesOn) return false;
  }
  return true;
}

/** The search's state for a grid, or undefined where two equal clues share a row, column or box. */
function startFrom(grid: Grid): Search | undefined {
  const empty = () => Array.from({ length: 9 }, () => 0);
  const search: Search = { cells: [...grid], rows: empty(), columns: empty(), boxes: empty() };
  for (const [cell, figure] of grid.entries()) {
    if (figure === 0) continue;
    const bit = 1 << (figure - 1);
    if ((candidateBits(search, cell) & bit) === 0) return undefined;
    place(search, cell, bit);
  }
  return search;
}

/** Up to `limit` completions of a grid. */
export function solveSudoku(grid: Grid, limit = 2): Grid[] {
  const solutions: Grid[] = [];
  explore(
    startFrom(grid),
    (figures) => figures,
    (cells) => solutions.push(cells) < limit,
  );
  return solutions;
}

/** Clues left by difficulty 1 to 5. */
const clueCounts = [46, 40, 35, 31, 28] as const;

/** A grid with exactly one completion, and with as few clues as the difficulty (1 to 5) asks for, if it can be had. */
export function createSudoku(random: Random, difficulty: number): { clues: Grid; solution: Grid } {
  let solution: Grid = [];
  explore(
    startFrom(Array.from({ length: CELLS }, () => 0)),
    (figures) => random.shuffle(figures),
    (cells) => {
      solution = cells;
      return false;
    },
  );
  const clues = [...solution];
  let left = CELLS;
  for (const cell of random.shuffle([...clues.keys()])) {
    if (left <= (clueCounts[difficulty - 1] ?? clueCounts[2])) break;
    const figure = clues[cell] ?? 0;
    clues[cell] = 0;
    if (solveSudoku(clues).length === 1) left -= 1;
    else clues[cell] = figure;
  }
  return { clues, solution };
}

/** The grid in words: nine rows of figures, dots for empty cells. */
export function sudokuText(clues: Grid): string {
  const rows = Array.from({ length: 9 }, (_, row) =>
    clues
      .slice(9 * row, 9 * row + 9)
      .map((figure) => (figure === 0 ? '.' : String(figure)))
      .join(''),
  );
  return (
    'Complete this sudoku: each of the figures 1 to 9 stands once in every row, every column and every 3 by 3 box. ' +
    `Rows from top to bottom, a dot for an empty cell: ${rows.join(' / ')}.`
  );
}
