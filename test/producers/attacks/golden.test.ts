import { describe, expect, it } from 'vitest';
import { attackNames } from '../../../producers/attacks/registry.ts';
import { renderMessages, type Condition } from '../../../producers/attacks/spans.ts';
import {
  arithmeticQuestion,
  choiceQuestion,
  passageQuestion,
  renderCase,
  yesNoQuestion,
} from './render-case.ts';

const cases = [
  { id: 'badchain-arithmetic', name: 'badchain', question: arithmeticQuestion, parameters: {} },
  { id: 'badchain-choice', name: 'badchain', question: choiceQuestion, parameters: {} },
  { id: 'badchain-yes-no', name: 'badchain', question: yesNoQuestion, parameters: {} },
  { id: 'deadlock-backdoor', name: 'deadlock', question: choiceQuestion, parameters: {} },
  {
    id: 'deadlock-surrogate',
    name: 'deadlock',
    question: arithmeticQuestion,
    parameters: { variant: 'surrogate' },
  },
  { id: 'paa-arithmetic', name: 'paa', question: arithmeticQuestion, parameters: {} },
  { id: 'paa-choice', name: 'paa', question: choiceQuestion, parameters: {} },
  { id: 'paa-passage', name: 'paa', question: passageQuestion, parameters: {} },
  { id: 'overthink-passage', name: 'overthink', question: passageQuestion, parameters: {} },
  {
    id: 'overthink-choice',
    name: 'overthink',
    question: choiceQuestion,
    parameters: { decoy: 'mdp-compare' },
  },
  {
    id: 'overthink-sudoku',
    name: 'overthink',
    question: passageQuestion,
    parameters: { decoy: 'sudoku', form: 'woven' },
  },
  { id: 'badchain-passage', name: 'badchain', question: passageQuestion, parameters: {} },
  { id: 'paa-yes-no', name: 'paa', question: yesNoQuestion, parameters: {} },
  {
    id: 'paa-answer-first',
    name: 'paa',
    question: choiceQuestion,
    parameters: { variant: 'answer-first' },
  },
  { id: 'overthink-woven', name: 'overthink', question: passageQuestion, parameters: { form: 'woven' } },
  {
    id: 'deadlock-trigger-only',
    name: 'deadlock',
    question: arithmeticQuestion,
    parameters: { variant: 'trigger-only' },
  },
  {
    id: 'deadlock-embeds',
    name: 'deadlock',
    question: arithmeticQuestion,
    parameters: { variant: 'embeds', embeds: { 'q-1': { attacked: 'QUJD', clean: 'QUJE' } } },
  },
  { id: 'deadlock-passage', name: 'deadlock', question: passageQuestion, parameters: {} },
];

describe('rendered messages', () => {
  for (const { id, name, question, parameters } of cases) {
    const attackCase = renderCase(name, question, { parameters });
    const conditions: Condition[] = attackCase.hasControl
      ? ['attacked', 'clean', 'control']
      : ['attacked', 'clean'];
    it.each(conditions)(`${id} sends the golden bytes when %s`, async (condition) => {
      const messages = renderMessages(attackCase, condition).map(
        ({ role, content }) => `[${role}]\n${content}\n`,
      );
      const embeds = attackCase.promptEmbeds?.[condition === 'attacked' ? 'attacked' : 'clean'];
      const text = [...messages, ...(embeds === undefined ? [] : [`[prompt_embeds]\n${embeds}\n`])].join(
        '\n',
      );
      await expect(text).toMatchFileSnapshot(`golden/${id}.${condition}.txt`);
    });
  }

  it('every attack has golden files', () => {
    expect([...new Set(cases.map(({ name }) => name))].sort()).toEqual(attackNames);
  });
});
