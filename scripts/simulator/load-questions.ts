import { readFile } from 'node:fs/promises';
import { HaltlineError } from '../../shared/errors.ts';
import { type Question, questionSchema } from '../../shared/schemas/question.ts';

/**
 * Reads answer files (JSONL, one question a line), in order.
 *
 * @throws HaltlineError `DATA_MISSING` for a file that cannot be read, `DATA_INVALID` for a line that does not fit
 */
export async function loadQuestions(paths: readonly string[]): Promise<Question[]> {
  const files = await Promise.all(paths.map(readLines));
  return files.flat();
}

async function readLines(path: string): Promise<Question[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new HaltlineError('DATA_MISSING', `answer file ${path} cannot be read`, { cause });
  });
  const lines = text.split('\n').map((line, index) => ({ line, place: `${path}:${index + 1}` }));
  return lines.filter(({ line }) => line.trim() !== '').map(({ line, place }) => parseLine(line, place));
}

function parseLine(line: string, place: string): Question {
  try {
    return questionSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new HaltlineError('DATA_INVALID', `${place} is no question`, { cause });
  }
}
