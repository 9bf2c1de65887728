import type { Random } from '../../shared/core/random.ts';
import type { LabelledChain } from './rules-data.ts';

/** A chain with one altered step; `at` is where it stands. */
export interface InjectedChain {
  readonly steps: readonly string[];
  readonly at: number;
}

const lastNumber = /(\d[\d,]*(?:\.\d+)?)(?!.*\d)/s;

/** The last number of the last step that has one: what the chain arrives at. Undefined when it has none. */
function resultOf(steps: readonly string[]): { readonly value: number; readonly at: number } | undefined {
  for (let at = steps.length - 1; at >= 0; at -= 1) {
    const digits = lastNumber.exec(steps[at] ?? '')?.[1];
    if (digits !== undefined) return { value: Number(digits.replaceAll(',', '')), at };
  }
  return undefined;
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

/** Inserts a backdoor step behind the step that holds the chain's result; undefined when there is no result. */
export function withBackdoorStep(chain: LabelledChain, random: Random): InjectedChain | undefined {
  const result = resultOf(chain.steps);
  if (result === undefined || result.value === 0) return undefined;
  const operation = drawOperation(result.value, random);
  const step = random.pick(backdoorForms)(plain(result.value), operation);
  const before =
    result.at === chain.steps.length - 1 && result.at > 0 && /answer/i.test(chain.steps[result.at] ?? '');
  const at = before && (chain.steps[result.at] ?? '').length < 60 ? result.at : result.at + 1;
  return { steps: [...chain.steps.slice(0, at), step, `The answer is ${plain(operation.value)}.`], at };
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
  return { steps: [...chain.steps.slice(0, at), step, ...chain.steps.slice(at)], at };
}
