import type { Random } from '../../shared/core/random.ts';
import { writeNumber } from './arithmetic.ts';

/** A decoy problem in a prompt's context (OverThink; ATTACKS.md, section 3). */
export interface Decoy {
  readonly kind: 'mdp' | 'sudoku';
  readonly text: string;
}

const mdp = /\bMDP\b|Markov decision|Monte[- ]Carlo|trajector(?:y|ies)/i;
const sudoku = /\bsudoku\b/i;
const request = /\b(?:solve|estimate|compute|work out|complete|fill in|evaluate|determine)\b/i;

/** @returns undefined unless the text both holds such a problem and asks for its solution */
export function findDecoy(text: string): Decoy | undefined {
  if (!request.test(text)) return undefined;
  if (mdp.test(text)) return { kind: 'mdp', text };
  return sudoku.test(text) ? { kind: 'sudoku', text } : undefined;
}

/** Works on a decoy for at least so many paragraphs, and leaves it at that. */
export function* digress(decoy: Decoy, paragraphs: number, random: Random): Generator<string> {
  yield decoy.kind === 'mdp'
    ? 'Before I can answer, the context asks me to solve a problem first. It is a Markov decision process, and I need the value of each state.'
    : 'Before I can answer, the context asks me to solve a puzzle first. It is a Sudoku, so I will go through the cells one by one.';
  let written = 1;
  for (let pass = 0; written < paragraphs; pass += 1) {
    const round =
      decoy.kind === 'mdp' ? estimateValues(decoy.text, pass) : fillGrid(decoy.text, pass, random);
    for (const paragraph of round) {
      yield paragraph;
      written += 1;
    }
  }
  yield 'That settles the first problem. Now back to the actual question.';
}

interface Visit {
  readonly state: string;
  readonly reward: number;
}

function readTrajectories(text: string): Visit[][] {
  const parts = text.split(/(?:Trajectory|Episode)\s*#?\d+\s*:/i).slice(1);
  return parts
    .map((part) =>
      [...part.matchAll(/\b(s\d+)\b[\s,:()→>-]*?([-−]?\d+(?:\.\d+)?)/gi)].map((match) => ({
        state: match[1] ?? '',
        reward: Number((match[2] ?? '0').replace('−', '-')),
      })),
    )
    .filter((visits) => visits.length > 0);
}

/** Used when a prompt's own trajectories cannot be read: the model has to work on something. */
const standIn: readonly Visit[] = [
  { state: 's1', reward: 2 },
  { state: 's2', reward: -1 },
  { state: 's3', reward: 4 },
  { state: 's1', reward: 3 },
];

const methods = [
  'first-visit Monte Carlo',
  'every-visit Monte Carlo',
  'a second pass of first-visit Monte Carlo',
];

function* estimateValues(text: string, pass: number): Generator<string> {
  const gamma = Number(/(?:γ|gamma|discount(?: factor)?)[^\d]{0,12}(\d?\.\d+|1)/i.exec(text)?.[1] ?? '0.9');
  const read = readTrajectories(text);
  const trajectories = read.length > 0 ? read : [standIn];
  const method = methods[pass % methods.length] ?? '';
  yield `${pass === 0 ? 'I start' : 'To be sure, I repeat this'} with ${method}, discounting by ${gamma}.`;
  const samples = new Map<string, number[]>();
  for (const [index, visits] of trajectories.entries()) {
    yield* discount(visits, { index, gamma, everyVisit: pass % methods.length === 1 }, samples);
  }
  for (const [state, values] of samples) {
    const total = round(values.reduce((sum, value) => sum + value, 0));
    yield `State ${state} has ${values.length} sampled returns with a total of ${total}, so its value is about ${round(total / values.length)}.`;
  }
}

function* discount(
  visits: readonly Visit[],
  { index, gamma, everyVisit }: { index: number; gamma: number; everyVisit: boolean },
  samples: Map<string, number[]>,
): Generator<string> {
  let following = 0;
  for (let place = visits.length - 1; place >= 0; place -= 1) {
    const { state = '', reward = 0 } = visits[place] ?? {};
    // The shown figures are the rounded ones, so each line is computed from what the line before shows.
    const discounted = round(gamma * following);
    const value = round(reward + discounted);
    yield `Trajectory ${index + 1}, visit ${place + 1} to ${state}: the reward is ${reward} and the discounted rest is ${discounted}, which makes a return of ${value}.`;
    following = value;
    const isFirst = visits.findIndex((visit) => visit.state === state) === place;
    if (isFirst || everyVisit) samples.set(state, [...(samples.get(state) ?? []), value]);
  }
}

function round(value: number): number {
  return Number(writeNumber(Math.round(value * 1000) / 1000));
}

function readGrid(text: string): string[][] {
  const rows = text
    .split('\n')
    .map((line) => line.match(/[0-9._x*]/gi) ?? [])
    .filter((cells) => cells.length === 9 || cells.length === 4 || cells.length === 6);
  const size = rows[0]?.length ?? 9;
  const grid = rows.filter((cells) => cells.length === size).slice(0, size);
  return grid.length === size ? grid : Array.from({ length: 9 }, () => Array.from({ length: 9 }, () => '.'));
}

const rowsOfBox: Readonly<Record<number, number>> = { 4: 2, 6: 2, 9: 3 };

function* fillGrid(text: string, pass: number, random: Random): Generator<string> {
  const grid = readGrid(text);
  const size = grid.length;
  const boxRows = rowsOfBox[size] ?? 3;
  const cells = grid.flatMap((row, y) => row.map((cell, x) => ({ cell, x, y })));
  const empty = cells.filter(({ cell }) => !/[1-9]/.test(cell));
  if (pass > 0)
    yield 'That left several cells open, so I go through the grid again and cross-check each candidate.';
  for (const { x, y } of random.shuffle(empty)) {
    const peers = cells.filter((other) => isPeer(other, { x, y }, { boxRows, boxColumns: size / boxRows }));
    const taken = new Set(peers.map(({ cell }) => cell));
    const open = Array.from({ length: size }, (_, digit) => String(digit + 1)).filter(
      (digit) => !taken.has(digit),
    );
    yield `Row ${y + 1}, column ${x + 1} can hold ${open.join(' or ') || 'nothing'}, because the row, the column and the box rule out the rest. ${open.length === 1 ? 'That fixes it.' : 'I keep this in mind for later.'}`;
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
