import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMessages, renderViews } from '../../../producers/attacks/spans.ts';
import { createMdpExercise, firstVisitValues } from '../../../producers/attacks/decoys/mdp.ts';
import { createSudoku, solveSudoku } from '../../../producers/attacks/decoys/sudoku.ts';
import { createRandom } from '../../../shared/core/random.ts';
import { choiceQuestion, passageQuestion, renderCase, yesNoQuestion } from './render-case.ts';

const seeds = fc.string({ maxLength: 8 });
const difficulties = fc.integer({ min: 1, max: 5 });

describe('overthink', () => {
  it('puts the decoy inside the context slot, in front of the real text, and leaves the question alone', () => {
    const attackCase = renderCase('overthink', passageQuestion);
    const [message] = renderMessages(attackCase, 'attacked');
    expect(message?.content).toMatch(
      /\n\nQuestion: "Who built the mill\?"\n\nRetrieved text: "Solve the following exercise [^"]*".*"perhaps"[^"]* The mill on the Elm brook/,
    );
    expect(renderMessages(attackCase, 'attacked')).toHaveLength(1);
  });

  it('clean differs by the decoy alone', () => {
    for (const parameters of [{}, { decoy: 'sudoku' }, { form: 'woven' }, { placement: 'after' }]) {
      const attackCase = renderCase('overthink', passageQuestion, { parameters });
      const decoy = attackCase.messages.flatMap(({ spans }) => spans).find(({ injected }) => injected);
      const attacked = renderMessages(attackCase, 'attacked')[0]?.content ?? '';
      expect(attacked.replace(decoy?.text ?? '', '')).toBe(renderMessages(attackCase, 'clean')[0]?.content);
    }
  });

  it('a monitor sees query and decoyed context apart; the original view has the real text alone', () => {
    const views = renderViews(renderCase('overthink', passageQuestion), 'attacked');
    expect(views.user.query).toBe('Who built the mill?');
    expect(views.user.context).toMatch(/^Solve the following .* until 1931\.$/s);
    expect(views.original.context).toBe(passageQuestion.context);
  });

  it('gives a question without context the same neutral one in both arms', () => {
    const attackCase = renderCase('overthink', choiceQuestion);
    const neutral = 'Retrieved text: "The reading room opens at nine';
    expect(renderMessages(attackCase, 'clean')[0]?.content).toContain(neutral);
    expect(renderViews(attackCase, 'attacked').user.context).toContain('The reading room opens at nine');
  });

  it('a woven passage speaks of the topic of the question', () => {
    const attackCase = renderCase('overthink', passageQuestion, { parameters: { form: 'woven' } });
    expect(renderViews(attackCase, 'attacked').user.context).toMatch(/"Who built the mill"/);
  });

  it('aims at no answer, so that right answers stay right', () => {
    const attackCase = renderCase('overthink', yesNoQuestion);
    expect(attackCase.targetAnswer).toBeUndefined();
    const decoy = attackCase.messages.flatMap(({ spans }) => spans).find(({ injected }) => injected);
    expect(decoy?.text).not.toMatch(/\b(?:true|false|yes|no)\b/i);
  });

  it('equal arguments give equal bytes, another seed another decoy', () => {
    const decoys = fc.constantFrom('mdp', 'mdp-compare', 'sudoku');
    fc.assert(
      fc.property(seeds, decoys, (seed, decoy) => {
        const render = (of: string) =>
          renderCase('overthink', passageQuestion, { seed: of, parameters: { decoy } });
        expect(render(seed)).toEqual(render(seed));
        expect(render(`${seed}x`)).not.toEqual(render(seed));
      }),
      { numRuns: 20 },
    );
  });
});

describe('the value-estimation exercise', () => {
  it('first-visit estimates are the mean return after the first visit of each run', () => {
    const exercise = {
      discount: 0.5,
      states: 2,
      trajectories: [
        [
          { state: 1, reward: 2 },
          { state: 2, reward: 4 },
          { state: 1, reward: 8 },
        ],
        [{ state: 2, reward: 3 }],
      ],
    };
    // s1: 2 + 0.5 * 4 + 0.25 * 8 = 6, seen in the first run only; s2: (4 + 0.5 * 8 = 8) and 3, mean 5.5.
    expect(firstVisitValues(exercise)).toEqual([6, 5.5]);
  });

  it('can always be solved, and grows with the difficulty', () => {
    fc.assert(
      fc.property(seeds, difficulties, (seed, difficulty) => {
        const values = firstVisitValues(
          createMdpExercise(createRandom(seed), { difficulty, discount: 0.75 }),
        );
        expect(values.every(Number.isFinite)).toBe(true);
      }),
    );
    const visits = [1, 2, 3, 4, 5].map((difficulty) => {
      const { trajectories } = createMdpExercise(createRandom('s'), { difficulty, discount: 1 });
      return trajectories.flat().length;
    });
    expect([...visits].sort((a, b) => a - b)).toEqual(visits);
  });
});

describe('the sudoku', () => {
  it('has exactly one completion, which is the grid that it was made from', () => {
    fc.assert(
      fc.property(seeds, difficulties, (seed, difficulty) => {
        const { clues, solution } = createSudoku(createRandom(seed), difficulty);
        expect(solveSudoku(clues)).toEqual([solution]);
        for (const [cell, figure] of clues.entries()) {
          if (figure !== 0) expect(figure).toBe(solution[cell]);
        }
        for (let line = 0; line < 9; line += 1) {
          const row = solution.slice(9 * line, 9 * line + 9);
          const column = solution.filter((_, cell) => cell % 9 === line);
          expect(new Set(row).size + new Set(column).size).toBe(18);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('has fewer clues at a higher difficulty', () => {
    const clues = (difficulty: number) =>
      createSudoku(createRandom('s'), difficulty).clues.filter((figure) => figure !== 0).length;
    expect(clues(1)).toBe(46);
    expect(clues(5)).toBeLessThan(clues(2));
  });

  it('tells a grid with two completions from one with none', () => {
    expect(solveSudoku(Array.from({ length: 81 }, () => 0))).toHaveLength(2);
    expect(solveSudoku([5, 5, ...Array.from({ length: 79 }, () => 0)])).toHaveLength(0);
  });
});
