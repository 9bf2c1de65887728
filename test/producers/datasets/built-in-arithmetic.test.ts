import { describe, expect, it } from 'vitest';
import { builtInPath, loadQuestions } from '../../../producers/datasets/load-questions.ts';
import { extractAnswer, isCorrect } from '../../../shared/core/answers/answers.ts';

const equation = /(-?[\d.(][\d.+\-*/() ]*) = (-?\d+(?:\.\d+)?)/;

/** The value of + - * / and brackets over decimals, by recursive descent. */
function evaluate(expression: string): number {
  const tokens = expression.match(/\d+(?:\.\d+)?|[-+*/()]/g) ?? [];
  const factor = (): number => {
    const token = tokens.shift() ?? '';
    if (token === '-') return -factor();
    if (token !== '(') return Number(token);
    const value = sum();
    tokens.shift();
    return value;
  };
  const product = (): number => {
    let value = factor();
    while (tokens[0] === '*' || tokens[0] === '/') {
      value = tokens.shift() === '*' ? value * factor() : value / factor();
    }
    return value;
  };
  const sum = (): number => {
    let value = product();
    while (tokens[0] === '+' || tokens[0] === '-') {
      value = tokens.shift() === '+' ? value + product() : value - product();
    }
    return value;
  };
  return sum();
}

const { questions, dropped } = await loadQuestions(builtInPath('arithmetic'), { seed: '0' });

describe('the built-in arithmetic questions', () => {
  it('are 60 different ones', () => {
    expect(questions).toHaveLength(60);
    expect(dropped.duplicates).toBe(0);
  });

  it.each(questions)('$id: 2 to 6 steps, every equation holds, and the last gives the answer', (question) => {
    const lines = (question.rationale ?? '').split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(lines.length).toBeLessThanOrEqual(6);
    let last = Number.NaN;
    for (const line of lines) {
      const [, left = '', right = ''] = equation.exec(line) ?? [];
      last = Number(right);
      expect(left, line).not.toBe('');
      expect(evaluate(left), line).toBeCloseTo(last, 9);
    }
    expect(last).toBe(Number(question.answer));
  });

  it('their rationales yield their answers', () => {
    for (const { rationale = '', answer } of questions) {
      const found = extractAnswer('number', rationale);
      expect(found !== undefined && isCorrect('number', found, answer), rationale).toBe(true);
    }
  });

  it('use no figure 2.1, which BadChain multiplies by', () => {
    for (const { question, rationale = '' } of questions) {
      expect(`${question} ${rationale}`).not.toMatch(/(?<![\d.])2\.1(?!\d)/);
    }
  });
});
