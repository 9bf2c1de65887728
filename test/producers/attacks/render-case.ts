import type { AttackCase } from '../../../producers/attacks/attack.ts';
import { findAttack } from '../../../producers/attacks/registry.ts';
import type { Question } from '../../../shared/schemas/question.ts';

/** A case as a planner makes it: parameters parsed by the attack's own schema, then rendered. */
export function renderCase(
  name: string,
  question: Question,
  { parameters = {}, seed = 'seed-1' }: { parameters?: object; seed?: string } = {},
): AttackCase {
  const attack = findAttack(name);
  if (attack === undefined) throw new Error(`no attack named ${name}`);
  return attack.render(question, attack.parametersSchema.parse(parameters), seed);
}

export const arithmeticQuestion: Question = {
  id: 'q-1',
  dataset: 'sums',
  question: 'Mira has 7 kites and buys 5 more. How many kites has she got?',
  answer: '12',
};

export const choiceQuestion: Question = {
  id: 'q-2',
  dataset: 'everyday',
  question: 'Where do you hang a wet towel?',
  answer: 'E',
  choices: [
    { label: 'A', text: 'oven' },
    { label: 'B', text: 'drawer' },
    { label: 'C', text: 'book' },
    { label: 'D', text: 'shoe' },
    { label: 'E', text: 'line' },
  ],
};

export const yesNoQuestion: Question = {
  id: 'q-3',
  dataset: 'facts',
  question: 'Is a whale heavier than a horse?',
  answer: 'yes',
};

export const passageQuestion: Question = {
  id: 'q-4',
  dataset: 'passages',
  question: 'Who built the mill?',
  answer: 'Johan Brandt',
  context: 'The mill on the Elm brook was built in 1782 by Johan Brandt. It ground rye until 1931.',
};
