import type { Random } from '../../shared/core/random.ts';
import { estimateValues } from './work-mdp.ts';
import { fillGrid } from './work-sudoku.ts';

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
      decoy.kind === 'mdp' ? estimateValues(decoy.text, pass, random) : fillGrid(decoy.text, pass, random);
    for (const paragraph of round) {
      yield paragraph;
      written += 1;
    }
  }
  yield 'That settles the first problem. Now back to the actual question.';
}
