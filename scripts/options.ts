import { InvalidArgumentError, Option } from 'commander';

/** A flag with its environment variable: `--results-dir` is HALTLINE_RESULTS_DIR. */
export function flag(flags: string, description: string): Option {
  const option = new Option(flags, description);
  const name = /--([a-z-]+)/.exec(flags)?.[1] ?? '';
  return option.env(`HALTLINE_${name.toUpperCase().replaceAll('-', '_')}`);
}

/** A whole number from 0 on. */
export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 0 or more.');
  return Number(text);
}

/** A whole number from 1 on. */
export function parsePositive(text: string): number {
  const count = parseCount(text);
  if (count === 0) throw new InvalidArgumentError('Expected a whole number, 1 or more.');
  return count;
}
