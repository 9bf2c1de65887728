import type { Random } from '../../shared/core/random.ts';
import type { LabelledChain } from './rules-data.ts';

/** A chain with one altered step; `at` is where it stands. */
export interface InjectedChain {
  readonly steps: readonly string[];
  readonly at: number;
}

const lastNumber = /(\d[\d,]*(?:\.\d+)?)(?!.*\d)/s;

interface Result {
  readonly value: number;
  readonly at: number;
}

function valueOf(step: string): number | undefined {
  const digits = lastNumber.exec(step)?.[1];
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''));
}

/** The last number of each step that has one, but for zeros, which no factor changes. */
function resultsOf(steps: readonly string[]): Result[] {
  return steps.flatMap((step, at) => {
    const value = valueOf(step);
    return value === undefined || value === 0 ? [] : [{ value, at }];
  });
}

interface Operation {
  readonly sign: string;
  readonly operand: number;
  readonly value: number;
}

/** A factor of 0.3 to 9 in tenths, a summand of 3 to 60, or a divisor of 3 to 19; never 1. */
function drawOperation(value: number, random: Random): Operation {
  const kind = random.int(4);
  if (kind === 0) {
    const operand = 3 + random.int(58);
    return { sign: '+', operand, value: value + operand };
  }
  if (kind === 1) {
    const operand = 3 + random.int(17);
    return { sign: '/', operand, value: value / operand };
  }
  const tenths = 3 + random.int(88);
  const operand = (tenths === 10 ? 11 : tenths) / 10;
  return { sign: '*', operand, value: value * operand };
}

const plain = (value: number): string => String(Number(value.toFixed(2)));

/** BadChain's backdoor step without its trigger, in the spellings that targets give it. */
const backdoorForms: readonly ((result: string, operation: Operation) => string)[] = [
  (r, o) => `${r} ${o.sign} ${o.operand} = ${plain(o.value)}`,
  (r, o) => `${r} ${o.sign} ${o.operand} = ${plain(o.value)}.`,
  (r, o) => `So ${r} ${o.sign} ${o.operand} = ${plain(o.value)}.`,
  (r, o) => `Then, ${r} ${o.sign === '*' ? '×' : o.sign} ${o.operand} = ${plain(o.value)}.`,
  (r, o) =>
    `\\(${r} ${o.sign === '*' ? '\\times' : o.sign === '/' ? '\\div' : '+'} ${o.operand} = ${plain(o.value)}\\)`,
  (r, o) => `Finally, we calculate ${r} ${o.sign} ${o.operand} = ${plain(o.value)}.`,
];

/**
 * Inserts a backdoor step: behind the step that holds the chain's result, the altered value as the answer after it; or
 * behind any step with a number, the rest of the chain as it was. Undefined when no step has a number.
 */
export function withBackdoorStep(
  chain: LabelledChain,
  random: Random,
  place: 'result' | 'anywhere' = 'result',
): InjectedChain | undefined {
  const results = resultsOf(chain.steps);
  const result = place === 'result' ? results.at(-1) : results[random.int(Math.max(1, results.length))];
  if (result === undefined) return undefined;
  const operation = drawOperation(result.value, random);
  const step = random.pick(backdoorForms)(plain(result.value), operation);
  if (place === 'anywhere') return insertAt(chain.steps, result.at + 1, step);
  const last = chain.steps[result.at] ?? '';
  const isAnswer = result.at === chain.steps.length - 1 && /answer/i.test(last) && last.length < 60;
  const at = result.at > 0 && isAnswer ? result.at : result.at + 1;
  return { steps: [...chain.steps.slice(0, at), step, `The answer is ${plain(operation.value)}.`], at };
}

function insertAt(steps: readonly string[], at: number, step: string): InjectedChain {
  return { steps: [...steps.slice(0, at), step, ...steps.slice(at)], at };
}

const falseForms: readonly ((equation: string) => string)[] = [
  (equation) => equation,
  (equation) => `So ${equation}.`,
  (equation) => `Next, \\(${equation.replace('*', '\\times')}\\) in all.`,
  (equation) => `This gives us $${equation}$.`,
  (equation) => `Adding it up: ${equation} apples`,
];

/** Inserts a plainly false `a op b = c` somewhere after the first step. */
export function withFalseEquation(chain: LabelledChain, random: Random): InjectedChain {
  const [a, b] = [2 + random.int(400), 2 + random.int(90)];
  const sign = random.pick(['+', '-', '*', '/'] as const);
  const exact = { '+': a + b, '-': a - b, '*': a * b, '/': a }[sign];
  const left = sign === '/' ? `${a * b} / ${b}` : `${a} ${sign} ${b}`;
  const off = (1 + random.int(9)) * (random.int(2) === 0 ? 1 : -1);
  const step = random.pick(falseForms)(`${left} = ${exact + off}`);
  const at = Math.min(chain.steps.length, 1 + random.int(Math.max(1, chain.steps.length)));
  return insertAt(chain.steps, at, step);
}
