import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ZodError } from 'zod';
import { HaltlineError } from '../shared/errors.ts';
import type { SweepFile } from '../shared/schemas/sweep-file.ts';
import { readSweepFile } from '../workers/metrics/sweep-folder.ts';

/** A sweep folder whose chains are judged again. */
export interface JudgedFolder {
  readonly dir: string;
  readonly file: SweepFile;
}

/**
 * Finds the folder of a sweep by its path, or by the sweep's id under `resultsDir`.
 *
 * @throws HaltlineError DATA_MISSING, DATA_INVALID
 */
export async function findSweepFolder(sweep: string, resultsDir: string): Promise<JudgedFolder> {
  const byId = join(resultsDir, sweep);
  const dir = [sweep, byId].find((path) => existsSync(join(path, 'sweep.json')));
  if (dir === undefined) {
    const where = sweep === byId ? sweep : `${sweep}, nor in ${byId}`;
    throw new HaltlineError('DATA_MISSING', `no sweep.json in ${where}`);
  }
  const path = join(dir, 'sweep.json');
  const file = await readSweepFile(dir).catch((cause: unknown) => {
    const problem = problemOf(cause);
    throw problem === undefined
      ? cause
      : new HaltlineError('DATA_INVALID', `${path}: ${problem}, expected the file that a sweep wrote`, {
          cause,
        });
  });
  if (file === undefined) throw new HaltlineError('DATA_MISSING', `no sweep.json in ${dir}`);
  return { dir, file };
}

/** What is wrong with the content of a file, in one line; undefined for an error of another kind. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof SyntaxError) return 'no JSON';
  if (!(error instanceof ZodError)) return undefined;
  const issue = error.issues[0];
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`;
}
