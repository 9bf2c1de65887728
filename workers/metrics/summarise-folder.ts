import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { HaltlineError } from '../../shared/errors.ts';
import type { Summary } from '../../shared/schemas/summary.ts';
import { Fold } from './fold.ts';
import { readRunLines } from './run-lines.ts';
import { summariseNow } from './summarise.ts';
import { readSweepFile } from './sweep-folder.ts';

/**
 * The figures of a sweep from its folder alone, which is left as it is. Dead letters and late monitor use stand in
 * Redis: they are 0 here.
 *
 * @throws HaltlineError `DATA_MISSING` when it is no folder of a sweep
 */
export async function summariseFolder(dir: string): Promise<Summary> {
  const sweep = await readSweepFile(dir);
  if (sweep === undefined) throw new HaltlineError('DATA_MISSING', `no sweep.json in ${dir}`);
  const fold = new Fold();
  const path = join(dir, 'runs.jsonl');
  if (await exists(path)) {
    for await (const { line } of readRunLines(path)) {
      // As the metrics worker has it: of another sweep, or of no place of the plan, is no line of this one.
      if (line?.sweep !== sweep.id || line.place >= sweep.total) fold.unreadableLines += 1;
      else fold.add(line);
    }
  }
  return summariseNow(sweep, fold, { deadLetters: 0, lateUse: {} });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
