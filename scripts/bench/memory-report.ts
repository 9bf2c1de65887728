import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Check } from '../chaos/check.ts';
import { writeSweepFolder } from './memory-lines.ts';

/** A case-run held by `report` and `summary.json`, at most. */
const MOST_BYTES = 64;

const measuredSchema = z.object({
  lines: z.number(),
  rows: z.number(),
  heldBytes: z.number(),
  summarisedBytes: z.number(),
  foldMs: z.number(),
  summaryMs: z.number(),
  peakRssBytes: z.number(),
});
type Measured = z.infer<typeof measuredSchema>;

/** What folding and summarising two files of lines holds, in a process of its own each, and what one more line costs. */
export async function checkReport(
  dir: string,
  { small, large }: { small: number; large: number },
): Promise<{ checks: Check[]; table: string[] }> {
  const [few, many] = [await measure(dir, small), await measure(dir, large)];
  const perLine = (of: (measured: Measured) => number): number =>
    (of(many) - of(few)) / (many.lines - few.lines);
  const heldPerLine = perLine(({ heldBytes }) => heldBytes);
  const rss = perLine(({ peakRssBytes }) => peakRssBytes);
  const row = ({ lines, heldBytes, foldMs, summaryMs, peakRssBytes }: Measured): string =>
    `${lines} lines: ${mb(heldBytes)} held, peak resident ${mb(peakRssBytes)}, fold ${foldMs.toFixed(0)} ms, summary ${summaryMs.toFixed(0)} ms of CPU`;
  return {
    table: [row(few), row(many), `peak resident grows by ${rss.toFixed(0)} B a line more`],
    checks: [
      {
        name: `report and summary hold at most ${MOST_BYTES} bytes a case-run`,
        problems: heldPerLine <= MOST_BYTES ? [] : [`${heldPerLine.toFixed(1)} B`],
        detail: `${heldPerLine.toFixed(1)} B between ${small} and ${large} lines`,
      },
    ],
  };
}

async function measure(dir: string, lines: number): Promise<Measured> {
  const folder = join(dir, `lines-${lines}`);
  await writeSweepFolder(folder, lines);
  const execArgv = [...process.execArgv, '--expose-gc'];
  const child = fork(join(import.meta.dirname, 'memory-fold.ts'), [folder], { execArgv });
  const messages: unknown[] = await once(child, 'message');
  child.disconnect();
  await rm(folder, { recursive: true });
  return measuredSchema.parse(messages[0]);
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
