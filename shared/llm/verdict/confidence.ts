const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** A reply's confidence as a share in [0, 1]; null when it is none, or on no scale that can be told. */
export function parseConfidence(value: unknown): number | null {
  if (typeof value === 'number') return onUnitScale(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  const isPercent = text.endsWith('%');
  const digits = isPercent ? text.slice(0, -1).trim() : text;
  if (!decimal.test(digits)) return null;
  const number = Number(digits);
  if (!isPercent) return onUnitScale(number);
  return number >= 0 && number <= 100 ? number / 100 : null;
}

function onUnitScale(number: number): number | null {
  if (number >= 0 && number <= 1) return number;
  return number >= 2 && number <= 100 ? number / 100 : null;
}
