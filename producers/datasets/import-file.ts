import { readFile, rename, writeFile } from 'node:fs/promises';
import { HaltlineError } from '../../shared/errors.ts';
import { importQuestions, type Importer, type ImportResult } from './importers/importer.ts';

export interface ImportFileOptions {
  readonly from: string;
  /** Written whole, or not at all. */
  readonly to: string;
  /** What the questions name as their set. */
  readonly dataset: string;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const reason = isMissing ? 'no such file' : cause instanceof Error ? cause.message : 'unreadable';
    throw new HaltlineError('DATA_MISSING', `data file ${path}: ${reason}`, { cause });
  }
}

/**
 * Turns a file in a public format into our JSONL.
 *
 * @returns what was written, and which rows were left out and why
 * @throws HaltlineError DATA_MISSING when the file cannot be read; DATA_INVALID when it is not in the format, or when
 *   no row of it fits (with the reason of the first)
 */
export async function importFile(
  importer: Importer,
  { from, to, dataset }: ImportFileOptions,
): Promise<ImportResult> {
  const text = await readText(from);
  let result: ImportResult;
  try {
    result = importQuestions(importer, text, dataset);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const message = `${from}: not in the format ${importer.name} (${importer.description}): ${cause.message}`;
    throw new HaltlineError('DATA_INVALID', message, { cause });
  }
  if (result.questions.length === 0) {
    const first = result.skipped[0];
    const reason = first === undefined ? 'it holds no rows' : `row ${first.row}: ${first.reason}`;
    throw new HaltlineError(
      'DATA_INVALID',
      `${from}: no question in the format ${importer.name} (${importer.description}); ${reason}`,
    );
  }
  const whole = `${to}.new`;
  await writeFile(whole, result.questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
  await rename(whole, to);
  return result;
}
