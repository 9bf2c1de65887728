/** One claim about a finished sweep, with what speaks against it: none, and it has passed. */
export interface Check {
  readonly name: string;
  readonly problems: readonly string[];
  /** What was counted. */
  readonly detail: string;
}

const MOST_SHOWN = 5;

/** A line for a terminal, and under it the first few problems. */
export function describeCheck({ name, problems, detail }: Check): string {
  const head = `${problems.length === 0 ? 'pass' : 'FAIL'}  ${name} (${detail})`;
  const shown = problems.slice(0, MOST_SHOWN).map((problem) => `      ${problem}`);
  const rest = problems.length - shown.length;
  return [head, ...shown, ...(rest > 0 ? [`      and ${rest} more`] : [])].join('\n');
}
