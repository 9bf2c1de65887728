const term = String.raw`\$?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)%?`;
const operator = String.raw`[-+*/x×÷−]`;
/** Not in the middle of a longer sum, a mixed number ("1 1/2") or a name. */
const start = String.raw`(?<![\w.,)%$])(?<!(?:[-+*/×÷−–=(]|\bx)\s*)(?<![\d)]\s)`;
const end = String.raw`(?![\d.,]*\d)(?!\s\d)(?!\s*[-+*/x×÷−=^]\s*[\d$(])`;

/** A chain of additions or products with its result: "2 + $3.50 * 4 = $16". Group 1: the sum; group 2: the result. */
const equation = new RegExp(
  String.raw`${start}(-?${term}(?:\s*${operator}\s*${term})+)\s*=\s*(-?${term})${end}`,
  'g',
);
const oneTerm = new RegExp(term, 'g');

/** Reads "$1,200.50" as 1200.5 and "10%" as 0.1. */
export function readNumber(text: string): number {
  const value = Number(text.replace(/[$,%\s]/g, ''));
  return text.endsWith('%') ? value / 100 : value;
}

/** Writes a number without the noise of binary fractions: 12.6, not 12.600000000000001. */
export function writeNumber(value: number): string {
  return String(Number(value.toPrecision(12)));
}

/** An equation found in a text; `holds` within rounding to a hundredth. */
export interface FoundEquation {
  readonly text: string;
  readonly sum: string;
  readonly result: string;
  readonly start: number;
  readonly holds: boolean;
}

/**
 * Evaluates a sum of plain terms, products before additions.
 *
 * @returns undefined when it holds no finite value (a division by 0)
 */
export function evaluateSum(sum: string): number | undefined {
  const isNegative = sum.startsWith('-');
  const operators = (isNegative ? sum.slice(1) : sum).replace(oneTerm, ' # ').match(/[-+*/x×÷−]/g) ?? [];
  const terms = (sum.match(oneTerm) ?? []).map(readNumber);
  const addends = [isNegative ? -(terms[0] ?? 0) : (terms[0] ?? 0)];
  for (const [index, sign] of operators.entries()) {
    const value = terms[index + 1] ?? 0;
    const last = addends.length - 1;
    if (sign === '+') addends.push(value);
    else if (sign === '-' || sign === '−') addends.push(-value);
    else if (sign === '/' || sign === '÷') addends[last] = (addends[last] ?? 0) / value;
    else addends[last] = (addends[last] ?? 0) * value;
  }
  const total = addends.reduce((left, right) => left + right, 0);
  return Number.isFinite(total) ? total : undefined;
}

/** The equations of a text, in order. */
export function findEquations(text: string): FoundEquation[] {
  return [...text.matchAll(equation)].map((match) => {
    const [whole, sum = '', result = ''] = match;
    const value = evaluateSum(sum);
    // "150% more" and "$30 for 10%" make percent signs ambiguous: either reading of the result will do.
    const results = [readNumber(result), readNumber(result.replace('%', ''))];
    const holds = value !== undefined && results.some((claimed) => Math.abs(claimed - value) <= 0.0051);
    return { text: whole, sum, result, start: match.index, holds };
  });
}

/** Puts another result behind an equation of a text. */
export function withResult(text: string, found: FoundEquation, result: string): string {
  const unit = found.result.startsWith('$') && !result.startsWith('$') ? '$' : '';
  const stop = found.start + found.text.length;
  return text.slice(0, stop - found.result.length) + unit + result + text.slice(stop);
}
