import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../../producers/datasets/importers/csv.ts';
import { importQuestions } from '../../../producers/datasets/importers/importer.ts';
import { findImporter, importers } from '../../../producers/datasets/importers/importers.ts';

function imported(format: string, text: string) {
  const importer = findImporter(format);
  if (importer === undefined) throw new Error(`no importer named ${format}`);
  return importQuestions(importer, text, 'set');
}

function jsonLines(...rows: readonly object[]): string {
  return rows.map((row) => JSON.stringify(row)).join('\n');
}

describe('public formats', () => {
  it('gsm8k: the answer stands after ####, calculator marks go', () => {
    const answer = 'He has 2+3=<<2+3=5>>5 kites.\nThat is 5*1000=<<5*1000=5000>>5000.\n#### 5,000';
    const result = imported('gsm8k', jsonLines({ question: 'How many?', answer }));
    expect(result).toEqual({
      questions: [
        {
          id: 'set-1',
          dataset: 'set',
          question: 'How many?',
          answer: '5000',
          rationale: 'He has 2+3=5 kites.\nThat is 5*1000=5000.',
        },
      ],
      skipped: [],
    });
  });

  it('commonsenseqa: nested as published and in columns', () => {
    const choices = [
      { label: 'A', text: 'oven' },
      { label: 'B', text: 'line' },
    ];
    const nested = { id: 'x', answerKey: 'B', question: { stem: 'Where?', choices } };
    const columns = {
      id: 'x',
      answerKey: 'B',
      question: 'Where?',
      choices: { label: ['A', 'B'], text: ['oven', 'line'] },
    };
    const wanted = [{ id: 'set-x', dataset: 'set', question: 'Where?', answer: 'B', choices }];
    expect(imported('commonsenseqa', jsonLines(nested)).questions).toEqual(wanted);
    expect(imported('commonsenseqa', jsonLines(columns)).questions).toEqual(wanted);
  });

  it('strategyqa: as published and as the BIG-bench task', () => {
    const published = JSON.stringify([{ qid: 'q7', question: 'Is it?', answer: false, facts: ['A.', 'B.'] }]);
    expect(imported('strategyqa', published).questions).toEqual([
      { id: 'set-q7', dataset: 'set', question: 'Is it?', answer: 'no', rationale: 'A.\nB.' },
    ]);
    const task = JSON.stringify({
      name: 'strategyqa',
      examples: [{ input: 'Is it?', target: 'Yes. Because.', target_scores: { Yes: 1, No: 0 } }],
    });
    expect(imported('strategyqa', task).questions).toEqual([
      { id: 'set-1', dataset: 'set', question: 'Is it?', answer: 'yes', rationale: 'Because.' },
    ]);
  });

  it('mathqa: options out of one string, commas inside them kept, or out of a printed list', () => {
    const row = {
      Problem: 'how much ?',
      Rationale: '"half of it . answer b"',
      options: 'a ) 1,500 , b ) rs . 38 , c ) none of these',
      correct: 'b',
    };
    const result = imported('mathqa', JSON.stringify([row]));
    expect(result.questions[0]).toMatchObject({
      answer: 'b',
      rationale: 'half of it . answer b',
      choices: [
        { label: 'a', text: '1,500' },
        { label: 'b', text: 'rs . 38' },
        { label: 'c', text: 'none of these' },
      ],
    });
    const printed = { ...row, options: "['a ) 1', 'b ) 2']" };
    expect(imported('mathqa', JSON.stringify([printed])).questions[0]?.choices).toEqual([
      { label: 'a', text: '1' },
      { label: 'b', text: '2' },
    ]);
  });

  it('aqua: a label and a bracket open each option', () => {
    const row = {
      question: 'How many?',
      options: ['A)21', 'B)(3/4)', 'C)1 : 2'],
      rationale: 'So B',
      correct: 'B',
    };
    expect(imported('aqua', jsonLines(row)).questions[0]?.choices).toEqual([
      { label: 'A', text: '21' },
      { label: 'B', text: '(3/4)' },
      { label: 'C', text: '1 : 2' },
    ]);
  });

  it('squad: one question each, the commonest answer, none for questions without one', () => {
    const qas = [
      { id: 'a', question: ' Who? ', answers: [{ text: 'the Mayor' }, { text: 'Mayor' }, { text: 'Mayor' }] },
      { id: 'b', question: 'Why?', answers: [], is_impossible: true },
    ];
    const nested = JSON.stringify({
      version: '1.1',
      data: [{ paragraphs: [{ context: 'The Mayor.', qas }] }],
    });
    const wanted = [
      { id: 'set-a', dataset: 'set', question: 'Who?', answer: 'Mayor', context: 'The Mayor.' },
    ];
    expect(imported('squad', nested).questions).toEqual(wanted);
    const flat = {
      id: 'a',
      question: 'Who?',
      context: 'The Mayor.',
      answers: { text: ['Mayor'], answer_start: [4] },
    };
    expect(imported('squad', jsonLines(flat)).questions).toEqual(wanted);
  });

  it('aime2024 and math500: names in small or capital letters, numbers or texts', () => {
    const capitals = { ID: '2024-I-1', Problem: 'Find n.', Answer: 33, Solution: 'It is 33.' };
    expect(imported('aime2024', jsonLines(capitals)).questions[0]).toMatchObject({
      id: 'set-2024-I-1',
      answer: '33',
      rationale: 'It is 33.',
    });
    expect(imported('aime2024', jsonLines({ id: 5, problem: 'p', answer: '033' })).questions[0]?.answer).toBe(
      '33',
    );
    const math = { problem: 'p', answer: '\\frac{1}{2}', unique_id: 'test/algebra/1.json' };
    expect(imported('math500', jsonLines(math)).questions[0]).toMatchObject({
      id: 'set-test-algebra-1',
      answer: '\\frac{1}{2}',
    });
  });

  it('csv: options in columns or in one field; answers as label or text', () => {
    const columns = 'Question,Answer,A,B\n"Where, then?",line,oven,line\n';
    expect(imported('csv', columns).questions).toEqual([
      {
        id: 'set-1',
        dataset: 'set',
        question: 'Where, then?',
        answer: 'B',
        choices: [
          { label: 'A', text: 'oven' },
          { label: 'B', text: 'line' },
        ],
      },
    ]);
    const listed = '\uFEFFid,question,answer,choices\r\nk1,Where?,a,oven|line\r\n';
    expect(imported('csv', listed).questions[0]).toMatchObject({ id: 'set-k1', answer: 'A' });
    const plain = 'question,answer,context\n"He said ""no""\nand left",4,text\n';
    expect(imported('csv', plain).questions[0]).toMatchObject({
      question: 'He said "no"\nand left',
      answer: '4',
      context: 'text',
    });
  });

  it('rows that do not fit are left out and named, the others kept', () => {
    const good = { question: 'How many?', answer: '#### 5' };
    const text = `${jsonLines(good, { question: 'How?', answer: 'no mark' }, { answer: '#### 5' })}\nnot json\n`;
    const result = imported('gsm8k', text);
    expect(result.questions).toHaveLength(1);
    expect(result.skipped.map(({ row }) => row)).toEqual([2, 3, 4]);
    expect(result.skipped[0]?.reason).toBe('answer: expected a last line "#### number"');
    expect(result.skipped[1]?.reason).toContain('question');
  });

  it('a gold label that no option has is a reason to leave a row out', () => {
    const row = { question: 'How many?', options: ['A)21', 'B)22'], correct: 'E' };
    expect(imported('aqua', jsonLines(row)).skipped).toEqual([
      { row: 1, reason: 'answer "E": expected one of A, B' },
    ]);
  });

  it('names are unique, and an unknown one finds nothing', () => {
    expect(new Set(importers.map(({ name }) => name)).size).toBe(9);
    expect(findImporter('gsm9k')).toBeUndefined();
  });
});

describe('parsing CSV', () => {
  it('reads back whatever is written with quotes', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', '"', '\n', '\r\n', ';') });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 }), (records) => {
        const text = records
          .map((record) => record.map((value) => `"${value.replaceAll('"', '""')}"`).join(','))
          .join('\r\n');
        expect(parseCsv(text)).toEqual(records);
      }),
    );
  });

  it.each([
    ['a,b,\n', [['a', 'b', '']]],
    ['a,b,', [['a', 'b', '']]],
    ['\n\na\n\n', [['a']]],
    [',\n', [['', '']]],
    ['', []],
  ])('%j gives %j', (text, records) => {
    expect(parseCsv(text)).toEqual(records);
  });

  it('names the line of a quote that does not close', () => {
    expect(() => parseCsv('a,b\nc,"d\n')).toThrow('CSV line 2');
  });
});
