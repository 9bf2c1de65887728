import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importFile } from '../../../producers/datasets/import-file.ts';
import { findImporter } from '../../../producers/datasets/importers/importers.ts';
import { loadQuestions } from '../../../producers/datasets/load-questions.ts';
import { temporaryFile } from './temporary-file.ts';

const csv = findImporter('csv');
const gsm8k = findImporter('gsm8k');

describe('importing a file', () => {
  it('what it writes is what the loader reads', async () => {
    const from = await temporaryFile('question,answer\nWhat is 1 + 1?,2\nWhat is 2 + 2?,4\n', 'sums.csv');
    const to = join(dirname(from), 'sums.jsonl');
    const result = csv && (await importFile(csv, { from, to, dataset: 'sums' }));
    const loaded = await loadQuestions(to, { seed: '0' });
    expect(loaded.questions).toEqual(result?.questions);
    expect(loaded.questions.map(({ answer }) => answer)).toEqual(['2', '4']);
  });

  it('a file in another format is refused with what was expected, and nothing is written', async () => {
    const from = await temporaryFile('{"problem": "p"}\n');
    const to = join(dirname(from), 'out.jsonl');
    if (csv === undefined || gsm8k === undefined) throw new Error('importers are missing');
    await expect(importFile(gsm8k, { from, to, dataset: 'd' })).rejects.toMatchObject({
      code: 'DATA_INVALID',
    });
    const other = await temporaryFile('problem,solution\n1 + 1,2\n', 'other.csv');
    await expect(importFile(csv, { from: other, to, dataset: 'd' })).rejects.toThrow(
      'expected a column "question"',
    );
    await expect(importFile(csv, { from: 'nowhere.csv', to, dataset: 'd' })).rejects.toMatchObject({
      code: 'DATA_MISSING',
      message: 'data file nowhere.csv: no such file',
    });
    expect(existsSync(to)).toBe(false);
  });
});

const folder = join(
  process.env.HALTLINE_DATA_DIR ?? join(import.meta.dirname, '../../../../shared/data'),
  'questions',
);

describe.skipIf(!existsSync(folder))('the evaluation sets (skipped without the data folder)', () => {
  it('all load, with few repeated questions', async () => {
    const files = readdirSync(folder);
    expect(files).toHaveLength(8);
    for (const file of files) {
      const { questions, dropped } = await loadQuestions(join(folder, file), { seed: '0' });
      expect(questions.length, file).toBeGreaterThan(20);
      expect(dropped.duplicates, file).toBeLessThan(5);
    }
  });
});
