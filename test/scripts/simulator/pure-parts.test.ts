import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluateSum, findEquations, withResult } from '../../../scripts/simulator/arithmetic.ts';
import { cutTokens } from '../../../scripts/simulator/cut-tokens.ts';
import { judgeSteps, readJudgedSteps } from '../../../scripts/simulator/judge-steps.ts';
import { createQuestionIndex } from '../../../scripts/simulator/question-index.ts';
import { knownQuestions } from './known-questions.ts';

const { eggs, shore } = knownQuestions;

test('tokens are word-like pieces, and together they are the text', () => {
  expect(cutTokens('Then 12 + 1234 is\n\nso.')).toEqual([
    'Then',
    ' ',
    '12',
    ' ',
    '+',
    ' ',
    '123',
    '4',
    ' is',
    '\n\n',
    'so',
    '.',
  ]);
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => cutTokens(text).join('') === text));
});

test('sums are evaluated, products before additions, and false ones are seen', () => {
  expect(evaluateSum('2 + 3 * 4 - 6 / 2')).toBe(11);
  expect(evaluateSum('-2 + $1,000 x 10%')).toBe(98);
  expect(evaluateSum('1 / 0')).toBeUndefined();
  const found = findEquations('First 180-54 = 126, then $2.50 x 4 = $11 and .20*10 = $2.00.');
  expect(found.map(({ text, holds }) => ({ text, holds }))).toEqual([
    { text: '180-54 = 126', holds: true },
    { text: '$2.50 x 4 = $11', holds: false },
    { text: '.20*10 = $2.00', holds: true },
  ]);
});

test('parts of longer sums, mixed numbers and unknowns are no equations', () => {
  for (const text of [
    '1 1/2 / 1/2 = 3',
    '2/3 * x = 12',
    '14 * 1/2 = 14 / 2 = 7',
    '5 - 1/2 = 4 1/2',
    '(2 + 3) * 4 = 20',
  ]) {
    expect(findEquations(text).filter((found) => !found.holds)).toEqual([]);
  }
});

test('a result is replaced in its place', () => {
  const text = 'So 2 * $3 = $6 in all.';
  expect(findEquations(text).map((found) => withResult(text, found, '9'))).toEqual([
    'So 2 * $3 = $9 in all.',
  ]);
});

test('a question is found inside a prompt, whatever its white space, and with a trigger in its middle', () => {
  const index = createQuestionIndex(Object.values(knownQuestions));
  const spread = eggs.question.replaceAll(' ', '\n  ');
  expect(index.find(`Solve this:\n"${spread}" Thank you.`)?.question.id).toBe('eggs');
  expect(index.find(shore.question.replace('most', '@_@ most'))?.question.id).toBe('shore');
  expect(index.find('Where would a crab hide?')).toBeUndefined();
  expect(index.find('')).toBeUndefined();
});

test('of two questions in a prompt the longer one is meant', () => {
  const index = createQuestionIndex(Object.values(knownQuestions));
  expect(index.find(`${shore.question} ${eggs.question}`)?.question.id).toBe('eggs');
});

test('a monitor reads the steps of its input and judges the last one', () => {
  const input = (steps: unknown) => `Judge {this}.\n${JSON.stringify({ problem: { query: 'q' }, steps })}`;
  expect(readJudgedSteps(input(['one', 'two']))).toEqual(['one', 'two']);
  expect(readJudgedSteps(input([{ index: 0, text: 'one' }]))).toEqual(['one']);
  expect(readJudgedSteps('nothing here')).toEqual([]);
  const repeated = 'Let me look at this again.';
  expect(judgeSteps([repeated, 'x', repeated])).toMatchObject({ error_detected: true, error_type: '3a' });
  expect(judgeSteps(['So 2 + 2 = 5.'])).toMatchObject({ error_type: '2b', error_location: '2 + 2 = 5' });
  expect(judgeSteps(['So 2 + 2 = 5.', 'And 2 + 3 = 5.'])).toMatchObject({
    error_detected: false,
    error_type: 'NO_ERROR',
  });
});
