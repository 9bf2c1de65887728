import { z } from 'zod';
import { requireLabel, RowError, type Draft, type Importer } from './importer.ts';

/**
 * The records of a CSV text (RFC 4180): commas, double quotes around fields that hold commas, quotes (doubled) or line
 * breaks. Blank lines are no records.
 *
 * @throws SyntaxError for a quote that is never closed
 */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  const field = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;
  while (field.lastIndex < text.length) {
    const from = field.lastIndex;
    const match = field.exec(text);
    if (match === null) {
      const line = text.slice(0, from).split('\n').length;
      throw new SyntaxError(
        `CSV line ${line}: a stray or unclosed quote; expected "..." around the whole field`,
      );
    }
    const [, quoted, plain = '', separator] = match;
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (separator === ',' && field.lastIndex === text.length) record.push('');
    if (separator === ',' && field.lastIndex < text.length) continue;
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
  }
  return records;
}

const rowSchema = z.record(z.string(), z.string());

/** Columns A to J hold options; or one column `choices`, divided by "|", labelled A, B, C and so on. */
function choicesOf(row: Record<string, string>): Draft['choices'] {
  const listed = (row.choices ?? '').split('|').map((text) => text.trim());
  const fromList = listed.filter(Boolean).map((text, index) => ({ label: 'ABCDEFGHIJ'[index] ?? '', text }));
  const columns = Array.from('abcdefghij').flatMap((letter) => {
    const text = row[letter] ?? '';
    return text === '' ? [] : [{ label: letter.toUpperCase(), text }];
  });
  const choices = fromList.length > 0 ? fromList : columns;
  return choices.length > 0 ? choices : undefined;
}

function required(row: Record<string, string>, column: string): string {
  const value = row[column] ?? '';
  if (value !== '') return value;
  throw new RowError(`${column}: expected a value`);
}

/** Plain CSV with a header line: `question` and `answer`, and any of `id`, `context`, `rationale`, `choices`, A to J. */
export const csv: Importer = {
  name: 'csv',
  description:
    'CSV with a header: question, answer; optionally id, context, rationale, choices ("a|b|c") or A, B, C ...',
  rows: (text) => {
    const [header = [], ...records] = parseCsv(text);
    const names = header.map((name) => name.trim().toLowerCase());
    for (const name of ['question', 'answer']) {
      if (!names.includes(name))
        throw new SyntaxError(`CSV header: expected a column "${name}", got ${names.join(', ')}`);
    }
    return records.map((record) =>
      Object.fromEntries(names.map((name, index) => [name, (record[index] ?? '').trim()])),
    );
  },
  drafts: (value, number) => {
    const row = rowSchema.parse(value);
    const choices = choicesOf(row);
    const given = required(row, 'answer');
    const answer = choices === undefined ? given : requireLabel(labelOf(given, choices), choices);
    return [
      {
        id: row.id || String(number),
        question: required(row, 'question'),
        answer,
        ...(choices && { choices }),
        ...(row.context && { context: row.context }),
        ...(row.rationale && { rationale: row.rationale }),
      },
    ];
  },
};

/** An answer given as an option's text, or as its letter in the other case, names that option. */
function labelOf(answer: string, choices: readonly { label: string; text: string }[]): string {
  const found =
    choices.find(({ label }) => label.toLowerCase() === answer.toLowerCase()) ??
    choices.find(({ text }) => text.toLowerCase() === answer.toLowerCase());
  return found?.label ?? answer;
}
