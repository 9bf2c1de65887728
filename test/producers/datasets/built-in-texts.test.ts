import { describe, expect, it } from 'vitest';
import {
  builtInDatasets,
  builtInPath,
  defaultExtractor,
  loadQuestions,
} from '../../../producers/datasets/load-questions.ts';
import { extractAnswer, isCorrect } from '../../../shared/core/answers/answers.ts';

async function load(name: string) {
  return loadQuestions(builtInPath(name), { seed: '0' });
}

describe('the built-in sets', () => {
  it.each([
    ['arithmetic', 'number'],
    ['commonsense', 'choice'],
    ['passages', 'span'],
  ])('%s is read by %s', async (name, extractor) => {
    expect(builtInDatasets).toContain(name);
    expect(defaultExtractor((await load(name)).questions)).toBe(extractor);
  });

  it('commonsense: 60 five-way questions, every letter right equally often, no option twice', async () => {
    const { questions } = await load('commonsense');
    expect(questions).toHaveLength(60);
    for (const letter of 'ABCDE') {
      expect(questions.filter(({ answer }) => answer === letter)).toHaveLength(12);
    }
    for (const { id, choices = [] } of questions) {
      expect(new Set(choices.map(({ text }) => text)).size, id).toBe(5);
    }
  });

  it('commonsense: rationales yield their answers', async () => {
    for (const { rationale = '', answer, choices } of (await load('commonsense')).questions) {
      expect(extractAnswer('choice', rationale, { choices }), rationale).toBe(answer);
    }
  });

  it('passages: two questions on each of 20 passages, each answer word for word in its passage', async () => {
    const { questions } = await load('passages');
    expect(questions).toHaveLength(40);
    expect(new Set(questions.map(({ context }) => context)).size).toBe(20);
    for (const { id, context = '', answer } of questions) {
      expect(context.toLowerCase(), id).toContain(answer.toLowerCase());
    }
  });

  it('passages: the answer to one question is no answer to the other', async () => {
    const { questions } = await load('passages');
    for (const question of questions) {
      const other = questions.find(({ id, context }) => context === question.context && id !== question.id);
      expect(isCorrect('span', question.answer, other?.answer ?? ''), question.id).toBe(false);
    }
  });
});
