import type { Demonstration } from './demonstration.ts';

/** Eight worked arithmetic problems in the usual chain-of-thought form; all our own. */
export const arithmeticDemonstrations: readonly Demonstration[] = [
  {
    question:
      'A ferry left the island with 38 passengers. At the first pier 15 more came aboard. How many passengers are on the ferry now?',
    steps: [
      'The ferry started with 38 passengers.',
      '15 more came aboard.',
      'So there are 38 + 15 = 53 passengers.',
    ],
    answer: '53',
  },
  {
    question: 'Nadia baked 24 rolls and her neighbours ate 9 of them. How many rolls are left?',
    steps: ['Nadia baked 24 rolls.', '9 of them were eaten.', 'So 24 - 9 = 15 rolls are left.'],
    answer: '15',
  },
  {
    question:
      'A choir has 6 rows with 7 singers in each row. Four singers are ill today. How many singers are on stage?',
    steps: [
      '6 rows of 7 singers are 6 * 7 = 42 singers.',
      'Four are ill, so 42 - 4 = 38 singers are on stage.',
    ],
    answer: '38',
  },
  {
    question: 'Tomasz shares 45 marbles equally among 5 boxes. How many marbles go into each box?',
    steps: ['There are 45 marbles for 5 boxes.', 'So each box gets 45 / 5 = 9 marbles.'],
    answer: '9',
  },
  {
    question:
      'A printer makes 12 pages a minute. Ines prints for 8 minutes and throws away 6 spoiled pages. How many good pages does she have?',
    steps: [
      'In 8 minutes the printer makes 12 * 8 = 96 pages.',
      '6 of them are spoiled.',
      'So she has 96 - 6 = 90 good pages.',
    ],
    answer: '90',
  },
  {
    question:
      'Paulo is 11 years old. His aunt is three times as old as he is. How old will his aunt be in 4 years?',
    steps: ['His aunt is 3 * 11 = 33 years old now.', 'In 4 years she will be 33 + 4 = 37 years old.'],
    answer: '37',
  },
  {
    question:
      'A market stall sold 17 melons in the morning and 26 in the afternoon. It had 60 melons at dawn. How many melons remain?',
    steps: ['The stall sold 17 + 26 = 43 melons.', 'It had 60, so 60 - 43 = 17 melons remain.'],
    answer: '17',
  },
  {
    question:
      'Hanna pays with a 50 euro note for 4 tickets at 9 euros each. How much change does she get back?',
    steps: ['The tickets cost 4 * 9 = 36 euros.', 'So her change is 50 - 36 = 14 euros.'],
    answer: '14',
  },
];
