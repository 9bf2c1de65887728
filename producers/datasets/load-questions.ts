import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseExactNumber } from '../../shared/core/answers/exact-number.ts';
import { createRandom } from '../../shared/core/random.ts';
import { HaltlineError } from '../../shared/errors.ts';
import { questionSchema, type ExtractorName, type Question } from '../../shared/schemas/question.ts';
import { explainIssues } from '../explain-issue.ts';
import { invalidLine, parseJsonLine, readLines, type Line } from './read-lines.ts';

export interface LoadOptions {
  /** Take this many, sampled without replacement; all of them where the file holds fewer. */
  readonly limit?: number | undefined;
  /** Decides the sample; equal seeds and files give equal samples. */
  readonly seed: string;
}

export interface LoadedQuestions {
  /** In the order of the file, whether sampled or not. */
  readonly questions: readonly Question[];
  /** Of the whole file's bytes, hex. */
  readonly sha256: string;
  /** Rows that repeat an earlier row's question, context and options; they are left out. */
  readonly dropped: { readonly duplicates: number };
  /** How many the sample was taken from. */
  readonly sampledFrom: number;
  /** The ids taken, in the order of `questions`. */
  readonly sampledIds: readonly string[];
}

const builtInFolder = new URL('built-in/', import.meta.url);

/** The sets that come with Haltline; a spec names them without a path. */
export const builtInDatasets: readonly string[] = ['arithmetic', 'commonsense', 'passages'];

/** @throws HaltlineError DATA_MISSING for a name that is no built-in set */
export function builtInPath(name: string): string {
  const path = fileURLToPath(new URL(`${encodeURIComponent(name)}.jsonl`, builtInFolder));
  if (builtInDatasets.includes(name) && existsSync(path)) return path;
  const known = builtInDatasets.join(', ');
  throw new HaltlineError(
    'DATA_MISSING',
    `data set ${name}: no built-in set (they are: ${known}); give its path`,
  );
}

function parseQuestion(path: string, line: Line): Question {
  const value = parseJsonLine(path, line);
  const parsed = questionSchema.safeParse(value);
  if (!parsed.success) {
    const subject = { value, schema: questionSchema, at: [] };
    throw invalidLine(path, line.number, explainIssues(parsed.error.issues, subject), parsed.error);
  }
  const { answer, choices } = parsed.data;
  if (choices === undefined || choices.some(({ label }) => label === answer)) return parsed.data;
  const expected = choices.map(({ label }) => label).join(', ');
  throw invalidLine(path, line.number, `answer "${answer}" is no choice label; expected one of ${expected}`);
}

/** Two rows are the same question when a target could not tell them apart; ids do not count. */
function contentKey({ question, context, choices }: Question): string {
  return JSON.stringify([question, context ?? null, choices ?? null]);
}

/**
 * Loads a JSONL file of questions, each row checked against `questionSchema`, streaming.
 *
 * @throws HaltlineError DATA_MISSING when the file cannot be read or holds no question; DATA_INVALID, with the line
 *   number, for a row that does not fit, a gold answer that is no label of its choices, or an id used twice
 */
export async function loadQuestions(path: string, { limit, seed }: LoadOptions): Promise<LoadedQuestions> {
  const kept: Question[] = [];
  const contents = new Set<string>();
  const idLines = new Map<string, number>();
  let duplicates = 0;
  const sha256 = await readLines(path, (line) => {
    const question = parseQuestion(path, line);
    const key = contentKey(question);
    if (contents.has(key)) {
      duplicates += 1;
      return;
    }
    const earlier = idLines.get(question.id);
    if (earlier !== undefined) {
      throw invalidLine(
        path,
        line.number,
        `id "${question.id}" was used in line ${earlier}; expected a new id`,
      );
    }
    contents.add(key);
    idLines.set(question.id, line.number);
    kept.push(question);
  });
  if (kept.length === 0) throw new HaltlineError('DATA_MISSING', `data file ${path}: holds no questions`);
  const questions = sampled(kept, limit, seed);
  return {
    questions,
    sha256,
    dropped: { duplicates },
    sampledFrom: kept.length,
    sampledIds: questions.map(({ id }) => id),
  };
}

function sampled(
  questions: readonly Question[],
  limit: number | undefined,
  seed: string,
): readonly Question[] {
  if (limit === undefined || limit >= questions.length) return questions;
  const places = [...questions.keys()];
  const taken = new Set(createRandom(`${seed}/questions`).sample(places, limit));
  return questions.filter((_, place) => taken.has(place));
}

/**
 * How answers of a set are found where its spec does not say: by options, by yes/no, by passages, else `number` if
 * every gold answer is one, else `math`.
 */
export function defaultExtractor(questions: readonly Question[]): ExtractorName {
  if (questions.every(({ choices }) => choices !== undefined)) return 'choice';
  if (questions.every(({ answer }) => /^(?:yes|no)$/i.test(answer))) return 'yes-no';
  if (questions.every(({ context }) => context !== undefined)) return 'span';
  return questions.every(({ answer }) => parseExactNumber(answer) !== undefined) ? 'number' : 'math';
}
