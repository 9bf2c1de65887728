import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderPaperLayout } from '../shared/core/report/paper-layout.ts';
import { renderReport } from '../shared/core/report/table.ts';
import { type Summary, summarySchema } from '../shared/schemas/summary.ts';

/** `summary.json` of a folder; undefined when there is none. @throws ZodError when it doesn't fit */
export async function readSummary(dir: string): Promise<Summary | undefined> {
  let text: string;
  try {
    text = await readFile(join(dir, 'summary.json'), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return summarySchema.parse(JSON.parse(text));
}

/** The table on standard output, or the summary as JSON and nothing else. */
export function printReport(
  summary: Summary,
  { json, dir, layout }: { json: boolean; dir: string; layout?: 'attacks' | 'paper' },
): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
    return;
  }
  const width = process.stdout.isTTY ? { width: process.stdout.columns } : {};
  const render = layout === 'paper' ? renderPaperLayout : renderReport;
  process.stdout.write(`${render(summary, width)}\nresults: ${dir}\n`);
}

/**
 * What a sweep's figures make the command exit with: 0, or 1 when it holds no scored run. A sweep that produced nothing
 * is an error.
 */
export function exitCodeOf({ counts }: Pick<Summary, 'counts'>): 0 | 1 {
  const runs = Object.values(counts.outcomes).reduce((sum, count) => sum + count, 0);
  const failed = Object.entries(counts.outcomes)
    .filter(([outcome]) => /^(failed|halted_monitor_error)$/.test(outcome))
    .reduce((sum, [, count]) => sum + count, 0);
  return runs > failed ? 0 : 1;
}
