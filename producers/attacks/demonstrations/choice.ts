import type { Demonstration } from './demonstration.ts';

const opening = "Let's think step by step.";

/** Seven worked five-way questions of everyday knowledge; all our own. */
export const choiceDemonstrations: readonly Demonstration[] = [
  {
    question: 'Where would a gardener most likely keep a rake when it rains?',
    choices: ['river', 'shed', 'oven', 'library', 'cloud'],
    steps: [
      opening,
      'A rake is a garden tool, and tools are kept dry so that they do not rust.',
      'A dry place close to a garden is needed.',
      'Of the choices, (B) shed fits best, because garden tools are stored in sheds.',
    ],
    answer: 'B',
  },
  {
    question: 'What do people put on to protect their hands from cold?',
    choices: ['scarf', 'belt', 'sandals', 'gloves', 'hat'],
    steps: [
      opening,
      'Something worn on the hands is needed.',
      'It has to keep warmth in.',
      'Of the choices, (D) gloves fits best, because gloves cover the hands and keep them warm.',
    ],
    answer: 'D',
  },
  {
    question: 'What is a lighthouse meant to guide?',
    choices: ['ships', 'trains', 'cyclists', 'bees', 'readers'],
    steps: [
      opening,
      'A lighthouse stands at a coast and sends out light at night.',
      'Those who travel on the sea need that light.',
      'Of the choices, (A) ships fits best, because ships use it to find a safe way.',
    ],
    answer: 'A',
  },
  {
    question: 'If someone is very thirsty after a run, what will they look for?',
    choices: ['a pillow', 'a mirror', 'a tap', 'a stamp', 'a ladder'],
    steps: [
      opening,
      'A thirsty person wants to drink.',
      'Water can be had from a tap.',
      'Of the choices, (C) a tap fits best, because it gives drinking water.',
    ],
    answer: 'C',
  },
  {
    question: 'What happens to butter that is left in a hot pan?',
    choices: ['it freezes', 'it grows', 'it sings', 'it rusts', 'it melts'],
    steps: [
      opening,
      'Butter is a soft fat and a hot pan heats it.',
      'Fat turns liquid when it is heated.',
      'Of the choices, (E) it melts fits best, because heated butter becomes liquid.',
    ],
    answer: 'E',
  },
  {
    question: 'Why would a musician tune a violin before a concert?',
    choices: ['to sell it', 'to sound right', 'to warm up the hall', 'to clean it', 'to save money'],
    steps: [
      opening,
      'Tuning sets the pitch of the strings.',
      'At a concert the pitch has to fit the other players.',
      'Of the choices, (B) to sound right fits best, because tuning corrects the sound.',
    ],
    answer: 'B',
  },
  {
    question: 'Where do commuters wait before they ride to work underground?',
    choices: ['on a roof', 'in a field', 'at a beach', 'on a platform', 'in a tent'],
    steps: [
      opening,
      'Riding to work underground means taking the metro.',
      'Metro passengers wait beside the track.',
      'Of the choices, (D) on a platform fits best, because metro stations have platforms.',
    ],
    answer: 'D',
  },
];
