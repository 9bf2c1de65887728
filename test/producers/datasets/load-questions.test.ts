import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { builtInPath, defaultExtractor, loadQuestions } from '../../../producers/datasets/load-questions.ts';
import type { Question } from '../../../shared/schemas/question.ts';
import { temporaryFile } from './temporary-file.ts';

function row(number: number, fields: object = {}): object {
  return {
    id: `q-${number}`,
    dataset: 'sums',
    question: `What is ${number} + 1?`,
    answer: `${number + 1}`,
    ...fields,
  };
}

function jsonLines(rows: readonly object[]): string {
  return rows.map((value) => `${JSON.stringify(value)}\n`).join('');
}

describe('loading questions', () => {
  it('reads every row, skips blank lines, and hashes the file', async () => {
    const content = `\uFEFF${jsonLines([row(1)])}\r\n\n${JSON.stringify(row(2))}`;
    const loaded = await loadQuestions(await temporaryFile(content), { seed: '0' });
    expect(loaded.questions.map(({ id }) => id)).toEqual(['q-1', 'q-2']);
    expect(loaded.sha256).toBe(createHash('sha256').update(content).digest('hex'));
    expect(loaded).toMatchObject({ dropped: { duplicates: 0 }, sampledFrom: 2, sampledIds: ['q-1', 'q-2'] });
  });

  it('names file and line of what is not JSON', async () => {
    const path = await temporaryFile(`${jsonLines([row(1)])}\n{"id": "q-2",\n`);
    await expect(loadQuestions(path, { seed: '0' })).rejects.toMatchObject({
      code: 'DATA_INVALID',
      message: `${path} line 3: not JSON`,
    });
  });

  it('says which field of a row is wrong and what was expected', async () => {
    const path = await temporaryFile(jsonLines([row(1), row(2, { answer: 7 })]));
    await expect(loadQuestions(path, { seed: '0' })).rejects.toThrow('line 2: answer: got 7, expected text');
  });

  it('refuses a gold answer that is no label of the choices', async () => {
    const choices = [
      { label: 'A', text: 'oven' },
      { label: 'B', text: 'line' },
    ];
    const path = await temporaryFile(jsonLines([row(1, { choices, answer: 'C' })]));
    await expect(loadQuestions(path, { seed: '0' })).rejects.toThrow(
      'line 1: answer "C" is no choice label; expected one of A, B',
    );
  });

  it('a missing file and an empty one each give one clear line', async () => {
    await expect(loadQuestions('nowhere.jsonl', { seed: '0' })).rejects.toMatchObject({
      code: 'DATA_MISSING',
      message: 'data file nowhere.jsonl: no such file',
    });
    const empty = await temporaryFile('\n');
    await expect(loadQuestions(empty, { seed: '0' })).rejects.toThrow('holds no questions');
  });

  it('refuses a line over 1 MiB and bytes that are not UTF-8', async () => {
    const long = await temporaryFile(jsonLines([row(1, { context: 'x'.repeat(1024 * 1024) })]));
    await expect(loadQuestions(long, { seed: '0' })).rejects.toThrow('line 1: longer than 1 MiB');
    const latin = await temporaryFile(Buffer.from(jsonLines([row(1, { question: 'café' })]), 'latin1'));
    await expect(loadQuestions(latin, { seed: '0' })).rejects.toThrow('line 1: not UTF-8');
  });

  it('drops and counts repeated questions, whatever their ids, but keeps those with another context', async () => {
    const rows = [
      row(1),
      row(2, { question: 'What is 1 + 1?' }),
      row(3, { question: 'What is 1 + 1?', context: 'x' }),
    ];
    const loaded = await loadQuestions(await temporaryFile(jsonLines(rows)), { seed: '0' });
    expect(loaded.questions.map(({ id }) => id)).toEqual(['q-1', 'q-3']);
    expect(loaded.dropped).toEqual({ duplicates: 1 });
  });

  it('refuses an id that two different questions share', async () => {
    const path = await temporaryFile(jsonLines([row(1), row(2, { id: 'q-1' })]));
    await expect(loadQuestions(path, { seed: '0' })).rejects.toThrow('line 2: id "q-1" was used in line 1');
  });

  it('samples without replacement, by the seed, in the order of the file', async () => {
    const path = await temporaryFile(jsonLines(Array.from({ length: 50 }, (_, index) => row(index))));
    const ids = async (seed: string) => (await loadQuestions(path, { limit: 10, seed })).sampledIds;
    const first = await ids('7');
    expect(await ids('7')).toEqual(first);
    expect(await ids('8')).not.toEqual(first);
    expect(new Set(first).size).toBe(10);
    expect([...first].sort((a, b) => Number(a.slice(2)) - Number(b.slice(2)))).toEqual(first);
    const all = await loadQuestions(path, { limit: 99, seed: '7' });
    expect(all.questions).toHaveLength(50);
  });
});

describe('the extractor of a set', () => {
  const plain: Question = { id: 'q', dataset: 'd', question: '?', answer: '1,200' };
  it.each([
    ['number', [plain]],
    ['math', [plain, { ...plain, answer: 'x+1' }]],
    ['yes-no', [{ ...plain, answer: 'no' }]],
    ['span', [{ ...plain, context: 'c', answer: '12' }]],
    [
      'choice',
      [
        {
          ...plain,
          answer: 'A',
          choices: [
            { label: 'A', text: 'a' },
            { label: 'B', text: 'b' },
          ],
        },
      ],
    ],
  ])('is %s by default for such questions', (extractor, questions) => {
    expect(defaultExtractor(questions)).toBe(extractor);
  });

  it('an unknown built-in set is refused with the names of the known ones', () => {
    expect(() => builtInPath('arithmetics')).toThrow(/no built-in set \(they are: .*arithmetic/);
  });
});
