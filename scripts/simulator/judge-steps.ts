import { z } from 'zod';
import type { VerdictType } from '../../shared/core/taxonomy.ts';
import { findEquations } from './arithmetic.ts';

/** The five fields of a verdict, in the order in which monitors write them. */
export interface JudgedStep {
  readonly error_detected: boolean;
  readonly error_type: VerdictType;
  readonly confidence: number;
  readonly error_location: string;
  readonly error_explanation: string;
}

const stepSchema = z.union([
  z.string(),
  z.object({ text: z.string() }).transform((step) => step.text),
  z.object({ content: z.string() }).transform((step) => step.content),
]);
const stepListSchema = z.array(stepSchema);

/**
 * Finds the steps in a monitor's input: the longest list of texts in the JSON object that ends the message.
 *
 * @returns no steps when there is none, as for any text that is no such input
 */
export function readJudgedSteps(input: string): string[] {
  const parsed = parseLastObject(input);
  const lists = Object.values(parsed ?? {}).map((value) => stepListSchema.safeParse(value).data ?? []);
  return lists.sort((left, right) => right.length - left.length)[0] ?? [];
}

function parseLastObject(text: string): Record<string, unknown> | undefined {
  const end = text.lastIndexOf('}') + 1;
  // The input stands last, but instructions before it may hold braces too.
  for (let start = text.indexOf('{'); start >= 0 && start < end; start = text.indexOf('{', start + 1)) {
    const parsed = parseObject(text.slice(start, end));
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const clean = {
  error_detected: false,
  error_type: 'NO_ERROR',
  confidence: 0.9,
  error_location: '',
  error_explanation: '',
} as const;

/** An honest, simple judge of the last step: an exact repeat is a loop, a sum that does not hold is a wrong sum. */
export function judgeSteps(steps: readonly string[]): JudgedStep {
  const current = steps.at(-1)?.trim() ?? '';
  const location = current.slice(0, 200);
  if (current.length > 20 && steps.slice(0, -1).some((step) => step.trim() === current)) {
    return flag('3a', location, 'This step repeats an earlier one word for word.');
  }
  const wrong = findEquations(current).find((equation) => !equation.holds);
  return wrong === undefined ? clean : flag('2b', wrong.text.slice(0, 200), 'This sum does not hold.');
}

function flag(type: VerdictType, location: string, explanation: string): JudgedStep {
  return {
    error_detected: true,
    error_type: type,
    confidence: 0.95,
    error_location: location,
    error_explanation: explanation,
  };
}
