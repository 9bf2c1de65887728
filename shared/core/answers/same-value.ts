import { loadMathjs } from '../../load-mathjs.ts';
import { latexToInfix } from './latex-infix.ts';

const letters = Array.from('abcdfghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ');
/** Values of the variables, none of them an integer or a simple ratio of another. */
const points = [0.7, 1.9, 3.1].map(
  (shift) => new Map(letters.map((letter, place) => [letter, shift + Math.sqrt(place + 2) / 7])),
);

function valuesOf(formula: string): number[] | undefined {
  const infix = latexToInfix(formula);
  if (infix === undefined) return undefined;
  try {
    const compiled = loadMathjs().parse(infix).compile();
    const values = points.map((point) => compiled.evaluate(point));
    return values.every((value) => typeof value === 'number' && Number.isFinite(value))
      ? values.map(Number)
      : undefined;
  } catch {
    // What the calculator cannot read has no value ("2+" of a reply that was cut).
    return undefined;
  }
}

/**
 * Whether two formulas have the same value wherever their variables are put: `x+1` and `1+x`, `\sqrt{117}` and
 * `3\sqrt{13}`. Both are worked out in floating point at three points by mathjs, of which nothing but arithmetic and
 * elementary functions is reached (`latexToInfix`), so that time is linear in the formulas' length whatever they hold;
 * a symbolic engine took 41 s on 9^{9^{9^{9}}}.
 *
 * @returns false also where one of them cannot be worked out
 */
export function isSameValue(a: string, b: string): boolean {
  const ours = valuesOf(a);
  const theirs = ours && valuesOf(b);
  if (ours === undefined || theirs === undefined) return false;
  return ours.every((value, place) => isClose(value, theirs[place] ?? Number.NaN));
}

function isClose(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-10 * Math.max(Math.abs(a), Math.abs(b));
}
