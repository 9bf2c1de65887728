import { z } from 'zod';
import { firstIssue } from '../../explain-issue.ts';
import { questionSchema, type Question } from '../../../shared/schemas/question.ts';

/** What an importer makes of one row of a public format, before it is checked against `questionSchema`. */
export type Draft = Omit<Question, 'dataset'>;

export interface ImportResult {
  readonly questions: readonly Question[];
  /** Rows left out, by their number in the file (from 1), each with what was expected of it. */
  readonly skipped: readonly { readonly row: number; readonly reason: string }[];
}

/** One public format. Pure: text in, rows out. */
export interface Importer {
  readonly name: string;
  /** What the file looks like and where it comes from, in a sentence. */
  readonly description: string;
  /** @throws SyntaxError when the text as a whole is not in the format */
  rows(text: string): unknown[];
  /** @throws z.ZodError or RowError for a row that does not fit; several questions where a row holds several */
  drafts(row: unknown, number: number): Draft[];
}

/** A row that cannot become a question: the message says what was expected. */
export class RowError extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return firstIssue(error);
  if (error instanceof RowError) return error.message;
  throw error;
}

/**
 * Runs an importer over a file's text. Rows that do not fit are left out and named; a set that is wholly unreadable
 * gives no questions.
 *
 * @param dataset - what the questions name as their set; ids begin with it
 * @throws SyntaxError when the text as a whole is not in the format
 */
export function importQuestions(importer: Importer, text: string, dataset: string): ImportResult {
  const questions: Question[] = [];
  const skipped: { row: number; reason: string }[] = [];
  for (const [index, row] of importer.rows(text.replace(/^\uFEFF/, '')).entries()) {
    try {
      for (const draft of importer.drafts(row, index + 1)) {
        questions.push(questionSchema.parse({ ...draft, id: `${dataset}-${draft.id}`, dataset }));
      }
    } catch (error) {
      skipped.push({ row: index + 1, reason: reasonOf(error) });
    }
  }
  return { questions, skipped };
}

/** The values of a JSON array, of JSON Lines, or of the array under one of `keys` in a JSON object. */
export function jsonRows(text: string, keys: readonly string[] = []): unknown[] {
  const trimmed = text.trim();
  try {
    const value: unknown = JSON.parse(trimmed);
    if (Array.isArray(value)) return value;
    const container = z.record(z.string(), z.unknown()).safeParse(value);
    const found = keys.map((key) => container.data?.[key]).find(Array.isArray);
    return found ?? [value];
  } catch (cause) {
    if (!trimmed.startsWith('{')) throw cause;
  }
  return trimmed
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => parseLine(line));
}

/** A line that is not JSON becomes a row that no importer accepts, so that it is named and counted like any other. */
function parseLine(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return value;
  } catch {
    return line;
  }
}

/** "A) 21", "a ) 38", "(B) red" as label and text. @throws RowError */
export function labelledOption(option: string): { label: string; text: string } {
  const match = /^\(?\s*([A-Za-z])\s*[).:]\s*(.*)$/s.exec(option.trimStart());
  const [label, text] = [match?.[1], match?.[2]?.trim()];
  if (label === undefined || text === undefined || text === '') {
    throw new RowError(`option "${option}": expected a letter, a bracket and a text`);
  }
  return { label, text };
}

/** @throws RowError unless the answer is one of the labels */
export function requireLabel(answer: string, choices: readonly { label: string }[]): string {
  if (choices.some(({ label }) => label === answer)) return answer;
  throw new RowError(`answer "${answer}": expected one of ${choices.map(({ label }) => label).join(', ')}`);
}
