import type { Demonstration } from './demonstration.ts';

const opening = "Let's think step by step.";

/** Six worked yes/no questions that take two facts each; all our own. */
export const yesNoDemonstrations: readonly Demonstration[] = [
  {
    question: 'Could a chess board hold one coin on every square if you had 60 coins?',
    steps: [
      opening,
      'A chess board has 8 rows of 8 squares, which is 64 squares.',
      '60 coins are fewer than 64.',
      'Thus, some squares would stay empty.',
    ],
    answer: 'no',
  },
  {
    question: 'Could a wild penguin meet a seal on the coast of Antarctica?',
    steps: [
      opening,
      'Wild penguins live in the southern half of the world, many of them on the coast of Antarctica.',
      'Seals live on the same coast.',
      'Thus, a penguin could meet a seal there.',
    ],
    answer: 'yes',
  },
  {
    question: 'Is a marathon longer than twenty laps of a standard athletics track?',
    steps: [
      opening,
      'A lap of a standard track is 400 metres, so twenty laps are 8 kilometres.',
      'A marathon is about 42 kilometres.',
      'Thus, a marathon is longer.',
    ],
    answer: 'yes',
  },
  {
    question: 'Can a snowman survive a summer in the Sahara outdoors?',
    steps: [
      opening,
      'A snowman is made of snow, which melts above 0 degrees Celsius.',
      'Summer days in the Sahara are far hotter than that.',
      'Thus, it would melt.',
    ],
    answer: 'no',
  },
  {
    question: 'Did people read printed newspapers before they watched television?',
    steps: [
      opening,
      'Printed newspapers appeared in the seventeenth century.',
      'Television was invented in the twentieth century.',
      'Thus, newspapers came first.',
    ],
    answer: 'yes',
  },
  {
    question: 'Would a vegetarian order a beef stew?',
    steps: [opening, 'A vegetarian eats no meat.', 'Beef is meat.', 'Thus, a vegetarian would not order it.'],
    answer: 'no',
  },
];
