import { basename, extname } from 'node:path';
import { importFile } from '../../producers/datasets/import-file.ts';
import { findImporter, importers } from '../../producers/datasets/importers/importers.ts';
import {
  builtInDatasets,
  builtInPath,
  defaultExtractor,
  loadQuestions,
} from '../../producers/datasets/load-questions.ts';
import { hint } from '../../producers/explain-issue.ts';
import { terminalText } from '../../shared/core/terminal-text.ts';
import { HaltlineError } from '../../shared/errors.ts';

/** Writes a file's questions, named after it. @throws HaltlineError CONFIG_INVALID, DATA_MISSING, DATA_INVALID */
export async function importDataset(format: string, from: string, to: string): Promise<void> {
  const importer = findImporter(format);
  if (!importer) {
    const known = importers.map(({ name }) => name);
    throw new HaltlineError(
      'CONFIG_INVALID',
      `format: got ${JSON.stringify(format)}, expected ${hint(format, known)}`,
    );
  }
  const { questions, skipped } = await importFile(importer, { from, to, dataset: basename(to, extname(to)) });
  const [first] = skipped;
  const left = first
    ? `; ${String(skipped.length)} rows left out (row ${String(first.row)}: ${first.reason})`
    : '';
  process.stdout.write(`wrote ${to}: ${String(questions.length)} questions${terminalText(left)}\n`);
}

/** Prints the first questions of a set. @throws HaltlineError DATA_MISSING, DATA_INVALID */
export async function showDataset(set: string, limit: number): Promise<void> {
  const path = builtInDatasets.includes(set) ? builtInPath(set) : set;
  const { questions, sha256, dropped } = await loadQuestions(path, { seed: '' });
  const counts = `${String(questions.length)} questions, ${String(dropped.duplicates)} duplicates left out`;
  process.stdout.write(`${counts}, extractor ${defaultExtractor(questions)}, sha256 ${sha256}\n`);
  for (const { id, question, choices = [], answer } of questions.slice(0, limit)) {
    const options = choices.map(({ label, text }) => ` (${label}) ${text}`).join('');
    process.stdout.write(terminalText(`${id}: ${question}${options} -> ${answer}`) + '\n');
  }
}
