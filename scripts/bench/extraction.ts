/**
 * How often answers are read right, on data with a checkable final answer.
 *
 * Usage: tsx scripts/bench/extraction.ts [--show N] [FILE-PREFIX]
 *
 * Reads HALTLINE_DATA_DIR (default ../shared/data): a rationale must yield its question's gold answer; a chain must
 * yield the `finalAnswer` that its source states, or, where only `finalAnswerCorrect` is known, agree with it against
 * `expected`. Prints one line a file and, with --show, the first failures of each.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { extractAnswer, isCorrect } from '../../shared/core/answers/answers.ts';
import { parseExactNumber } from '../../shared/core/answers/exact-number.ts';
import type { ExtractorName } from '../../shared/schemas/question.ts';

const text = z.exactOptional(z.string());
const rowSchema = z.object({
  id: z.string(),
  answer: text,
  rationale: text,
  choices: z.exactOptional(z.array(z.object({ label: z.string(), text: z.string() }))),
  steps: z.exactOptional(z.array(z.string())),
  finalAnswer: text,
  finalAnswerCorrect: z.exactOptional(z.boolean().nullable()),
  expected: text,
});
type Row = z.infer<typeof rowSchema>;

interface Check {
  readonly id: string;
  readonly text: string;
  readonly extracted: string | undefined;
  readonly wanted: string;
  readonly result: 'right' | 'none found' | 'other value';
}

/** Sets whose answers are read in one way; the rest has no answer that a text states in a checkable form. */
const extractors: readonly (readonly [RegExp, ExtractorName])[] = [
  [/^questions\/(gsm8k|aime)/, 'number'],
  [/^questions\/(aqua|mathqa)/, 'choice'],
  [/^questions\/math500/, 'math'],
  [/^chains\/(eic|mr_gsm8k|processbench_gsm8k|roscoe_gsm8k|verify|bigbench_mistake_multistep)/, 'number'],
  [/^chains\/(mrben_(?!coding)|bigbench_mistake_(logical|tracking))/, 'choice'],
  [/^chains\/roscoe_(drop|cosmos|esnli)/, 'yes-no'],
  [/^chains\/reasoneval_mrmath_invalid/, 'math'],
];

function compare(row: Row, extractor: ExtractorName, source: string, wanted: string): Check {
  const extracted = extractAnswer(extractor, source, { choices: row.choices });
  const same = extracted !== undefined && isCorrect(extractor, extracted, wanted);
  const result = same ? 'right' : extracted === undefined ? 'none found' : 'other value';
  return { id: row.id, text: source, extracted, wanted, result };
}

function checkChain(row: Row, extractor: ExtractorName, steps: readonly string[]): Check | undefined {
  const source = steps.join('\n\n');
  const expected = row.expected?.replace(/^\((.)\)$/, '$1');
  if (row.finalAnswer !== undefined) {
    const stated = row.finalAnswer.replace(/^\((.)\)$/, '$1').replace(/^A: /, '');
    const wanted = extractor === 'yes-no' ? /\b(yes|no)\b/i.exec(stated)?.[1] : stated;
    const isReadable = extractor !== 'number' || parseExactNumber(stated) !== undefined;
    return wanted === undefined || !isReadable ? undefined : compare(row, extractor, source, wanted);
  }
  if (typeof row.finalAnswerCorrect !== 'boolean' || expected === undefined) return undefined;
  const check = compare(row, extractor, source, expected);
  const agrees = (check.result === 'right') === row.finalAnswerCorrect;
  const wanted = `${row.finalAnswerCorrect ? '' : 'not '}${expected}`;
  return {
    ...check,
    wanted,
    result: agrees ? 'right' : check.extracted === undefined ? 'none found' : 'other value',
  };
}

function checkRow(row: Row, extractor: ExtractorName): Check | undefined {
  if (row.steps !== undefined) return checkChain(row, extractor, row.steps);
  if (row.rationale === undefined || row.answer === undefined) return undefined;
  return compare(row, extractor, row.rationale, row.answer);
}

function report(name: string, checks: readonly Check[], show: number): void {
  const count = (result: Check['result']) => checks.filter((check) => check.result === result).length;
  const share = checks.length === 0 ? '-' : `${((100 * count('right')) / checks.length).toFixed(2)}%`;
  const kinds = `none found ${count('none found')}, other value ${count('other value')}`;
  console.log(`${name.padEnd(52)} ${share.padStart(8)} of ${String(checks.length).padStart(5)}   ${kinds}`);
  for (const check of checks.filter(({ result }) => result !== 'right').slice(0, show)) {
    console.log(
      `  ${check.id}: read ${JSON.stringify(check.extracted)}, wanted ${JSON.stringify(check.wanted)}`,
    );
    console.log(`    …${JSON.stringify(check.text.slice(-240))}`);
  }
}

const { values, positionals } = parseArgs({
  options: { show: { type: 'string', default: '0' } },
  allowPositionals: true,
});
const folder = process.env.HALTLINE_DATA_DIR ?? join(import.meta.dirname, '../../../shared/data');
if (!existsSync(folder)) {
  console.error(`no data at ${folder}; set HALTLINE_DATA_DIR`);
  process.exit(2);
}
const all: Check[] = [];
for (const part of ['questions', 'chains']) {
  const before = all.length;
  for (const file of readdirSync(join(folder, part)).sort()) {
    const name = `${part}/${file}`;
    const extractor = extractors.find(([pattern]) => pattern.test(name))?.[1];
    if (extractor === undefined || !file.startsWith(positionals[0] ?? '')) continue;
    const lines = readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean);
    const checks = lines
      .map((line) => checkRow(rowSchema.parse(JSON.parse(line)), extractor))
      .filter((check) => check !== undefined);
    report(`${name} (${extractor})`, checks, Number(values.show));
    all.push(...checks);
  }
  if (all.length > before) report(`all ${part}`, all.slice(before), 0);
}
