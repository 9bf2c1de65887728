/** Two numbers, one sign, one result, with nothing that could belong to the sum on either side. */
const plainEquation =
  /(?:^|[^\d.,*/^+\-−–×÷xX=)(}%:$ ]|[a-z,;:] |\$)[ $]*(\d[\d,]*(?:\.\d+)?) ?([-+*/x×÷]|\\times|\\div|\\cdot) ?\$?(\d[\d,]*(?:\.\d+)?) ?= ?\$?(\d[\d,]*(?:\.\d+)?)(?![\d.]*[%\d]|[ ]?[-+*/×÷^=(\\]|\.\d)/g;

/**
 * Whether a text holds a plainly false `a op b = c`: off by more than 1% and by more than a rounding to whole numbers
 * would explain. Deliberately simple and apart from the rule, since it says what the rule is measured on.
 */
export function hasPlainlyFalseEquation(text: string): boolean {
  for (const [, a = '', sign = '', b = '', c = ''] of text.matchAll(plainEquation)) {
    const [left, right, written] = [numberOf(a), numberOf(b), numberOf(c)];
    const value = apply(left, sign, right);
    const off = Math.abs(value - written);
    if (Number.isFinite(value) && off > 0.01 * Math.abs(value) && off >= 1) return true;
  }
  return false;
}

function numberOf(digits: string): number {
  return Number(digits.replaceAll(',', ''));
}

function apply(left: number, sign: string, right: number): number {
  if (sign === '+') return left + right;
  if (sign === '-') return left - right;
  return sign === '/' || sign === '÷' || sign === '\\div' ? left / right : left * right;
}
