import type { Problem } from '../../../shared/schemas/problem.ts';
import type { Step } from '../../../shared/schemas/step.ts';
import { encodeData } from './escape-data.ts';

/**
 * The input of a monitor's prompt (arXiv 2603.25412, section 4.3, "Structured Input Format"): one JSON object with the
 * problem, the optional context, and the steps up to one, which comes last. It grows at its end only, so that a
 * server's prefix cache covers all but the newest step:
 * `render(n + 1)` begins with all of `render(n)` but its closing brackets, while no block of old steps is left out.
 */
export class ChainInput {
  readonly #head: string;
  readonly #steps: string[] = [];
  readonly #window: number;

  /** @param window - steps shown at most; undefined: all */
  constructor(problem: Problem, window?: number) {
    const context = problem.context;
    this.#window = window ?? Infinity;
    this.#head = encodeData({
      problem: problem.query,
      ...(context === undefined ? {} : { context: { verified: false, text: context } }),
    }).slice(0, -1);
  }

  /** Appends the chain's next step; @returns how many there are now */
  append({ index, channel, text }: Pick<Step, 'index' | 'channel' | 'text'>): number {
    const part = channel === 'answer' ? { part: 'answer' } : {};
    return this.#steps.push(encodeData({ index, ...part, text }));
  }

  /** The object with the first `count` steps, or the latest of them that the window lets in. */
  render(count: number): string {
    const leftOut = stepsLeftOut(count, this.#window);
    const marker = leftOut === 0 ? '' : `,"steps_left_out":${leftOut}`;
    return `${this.#head}${marker},"steps":[${this.#steps.slice(leftOut, count).join(',')}]}`;
  }
}

/**
 * How many of the oldest steps are left out. They go in blocks of half a window: with each one that goes, the server
 * has to read the prompt anew.
 */
export function stepsLeftOut(count: number, window: number): number {
  if (count <= window) return 0;
  const block = Math.floor(window / 2);
  return Math.ceil((count - window) / block) * block;
}
