/** One thing that was looked at. `warn`: a sweep runs, but not as one may expect; `fail`: none can run. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly text: string;
}

export function finding(level: Finding['level'], subject: string, text: string): Finding {
  return { level, subject, text };
}
