import type { Random } from '../../shared/core/random.ts';

/** A runaway output built after a reported shape; `healthy` ones are those that guards took for loops by mistake. */
export interface LoopShape {
  readonly name: string;
  readonly healthy: boolean;
  readonly build: (random: Random) => string;
}

const nouns =
  'river ledger lantern orchard signal turbine harbor ticket engine garden violin mirror basket window compass'.split(
    ' ',
  );
const verbs = 'check compute verify estimate compare list restate examine consider rewrite'.split(' ');
const things = [
  'the total cost',
  'the number of boxes',
  'the second equation',
  'the given rate',
  'the last digit',
  'the sum of the angles',
];
const openings = ['Okay, so', 'Let me see.', 'Alright.', 'First of all,', 'To begin,'];

function preamble(random: Random): string {
  const sentences = Array.from({ length: 3 + random.int(4) }, () => {
    return `${random.pick(openings)} I will ${random.pick(verbs)} ${random.pick(things)} with the ${random.pick(nouns)} and the ${random.pick(nouns)} of ${2 + random.int(90)}.`;
  });
  return `${sentences.join(random.pick([' ', '\n\n']))}\n\n`;
}

function sentence(random: Random): string {
  return `${random.pick(['Wait,', 'So', 'Therefore,', 'But'])} I need to ${random.pick(verbs)} ${random.pick(things)} before the ${random.pick(nouns)} is ${2 + random.int(50)}.`;
}

const block = (random: Random, sentences: number, joint: string): string =>
  Array.from({ length: sentences }, () => sentence(random)).join(joint);

/** Copies of a unit, the last one cut off inside. */
function cycle(random: Random, unit: string, length: number): string {
  const text = unit.repeat(Math.ceil(length / unit.length) + 1);
  return text.slice(0, length + random.int(unit.length));
}

const intents = [
  ['I should', 'I need to', 'I must', 'I have to', 'Let me', 'It is time to'],
  ['carefully', 'quickly', 'simply', 'now', 'finally', 'first'],
  ['write', 'produce', 'deliver', 'prepare', 'compose', 'present'],
  ['the answer', 'the reply', 'the response', 'the result', 'the summary', 'the solution'],
  ['for the user', 'as requested', 'in full', 'without delay', 'step by step', 'in clear words'],
  [
    'because everything is ready',
    'since all facts are known',
    'as the work is done',
    'given the facts above',
    'now that it is clear',
  ],
] as const;

function restatedIntent(random: Random): string {
  const [who, how, act, what, whom, why] = intents.map((choices) => random.pick<string>(choices));
  const order = random.int(3);
  if (order === 0)
    return `${why?.[0]?.toUpperCase()}${why?.slice(1)}, ${who?.toLowerCase()} ${how} ${act} ${what} ${whom}.`;
  return order === 1
    ? `${who} ${act} ${what} ${whom} ${how}, ${why}.`
    : `${who} ${how} ${act} ${what} ${whom}, ${why}.`;
}

function derivation(random: Random, a: number, b: number): string {
  const start = random.pick([
    'So',
    'Again,',
    'Let me redo this:',
    'To be sure,',
    'Once more,',
    'In other words,',
  ]);
  const middle = random.pick([
    'the product is',
    'multiplying gives',
    'we find',
    'this comes to',
    'the total must be',
  ]);
  const end = random.pick([
    'which confirms the result',
    'so the answer stands',
    'exactly as before',
    'and that is what we had',
    'hence the same value',
  ]);
  return `${start} with ${a} rows of ${b} seats ${middle} ${a} * ${b} = ${a * b}, ${end}.`;
}

const many = (count: number, make: (index: number) => string, joint: string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(joint);

/** One builder a reported shape, in the order of the reports; texts are our own. */
export const loopShapes: readonly LoopShape[] = [
  shape('single word', (r) => cycle(r, `${r.pick(nouns)} `, 4_000)),
  shape('whole reply', (r) =>
    cycle(r, `${block(r, 8 + r.int(8), ' ')}\n\n${block(r, 5, ' ')}\n</thi nk>\n\n`, 9_000),
  ),
  shape('plan restatement', (r) => plan(r)),
  shape('list growth', (r) =>
    many(
      200,
      (i) =>
        `${i + 1}. A ${r.pick(nouns)} with ${r.pick(verbs)}ed ${r.pick(nouns)} ${r.pick(nouns)} number ${r.int(9_999)}`,
      '\n',
    ),
  ),
  shape('sentence', (r) => cycle(r, `${sentence(r)} `, 5_000)),
  shape('short phrase', (r) => cycle(r, `${r.pick(verbs)} the ${r.pick(nouns)}, `, 3_000)),
  shape('block', (r) => cycle(r, `${block(r, 6 + r.int(12), '\n\n')}\n\n`, 12_000)),
  shape('sentence and tag', (r) => cycle(r, `${sentence(r)}\n</think>\n`, 8_000)),
  shape('sentence and tag, cut', (r) => cycle(r, `${sentence(r)}\n\n</think>\n\n`, 1_700)),
  shape('two words', (r) => cycle(r, `${r.pick(verbs)} ${r.pick(nouns)}${r.pick([' ', '. ', '\n'])}`, 3_000)),
  shape('line', (r) => cycle(r, `${sentence(r)}\n`, 20_000)),
  shape('punctuation', (r) => cycle(r, r.pick(['. ,', '!?', '。，', '- -', '}{']), 12_000)),
  shape('short word, no blank lines', (r) => cycle(r, r.pick(['no ', 'the ', 'wait ', 'ok', 'so\n']), 4_000)),
  shape('restated intent', (r) => many(57, () => many(6, () => restatedIntent(r), ' '), '\n\n')),
  shape('re-derivation', (r) => rederivation(r)),
  shape('mixed', (r) => many(160, () => r.pick(mixedPool(r)), ' ')),
  shape(
    'long but finite',
    (r) => `${many(30, () => sentence(r), '\n\n')}\n\n${cycle(r, `${block(r, 3, ' ')}\n\n`, 6_000)}`,
  ),
  // Two reports are of guards that fired on no loop. The loops here are what such a guard must still see.
  shape(
    'false alarm: a loop late in a long session',
    (r) => `${session(r)}\n\n${cycle(r, `${block(r, 2 + r.int(6), '\n\n')}\n\n`, 9_000)}`,
  ),
  shape(
    'false alarm: grids without end',
    (r) => `${grids(r)}\n\n${cycle(r, `${'0 '.repeat(6 + r.int(14))}\n`, 9_000)}`,
  ),
  {
    name: 'false alarm: long session',
    healthy: true,
    build: (r) => session(r),
  },
  { name: 'false alarm: grids and padding', healthy: true, build: grids },
];

function shape(name: string, loop: (random: Random) => string): LoopShape {
  return { name, healthy: false, build: (random) => preamble(random) + loop(random) };
}

const session = (random: Random): string =>
  many(12, () => `${preamble(random)}${block(random, 2, '\n\n')}`, '\n\n');

function plan(random: Random): string {
  const points = Array.from({ length: 5 }, () => sentence(random));
  const lead = [
    'The plan is as before.',
    'Going over the plan again.',
    'To restate the plan:',
    'So, once more, the plan.',
  ];
  return many(40, () => `${random.pick(lead)} ${random.shuffle(points).join(' ')}`, '\n\n');
}

function rederivation(random: Random): string {
  const [a, b] = [11 + random.int(50), 11 + random.int(50)];
  return many(250, () => derivation(random, a, b), random.pick([' ', '\n\n']));
}

const mixedPool = (random: Random): string[] => {
  const noun = random.pick(nouns.slice(0, 4));
  return [
    `so the ${noun} is ${noun},`,
    `the ${noun} and the ${noun}`,
    `then ${noun}.`,
    `but wait, the ${noun}`,
    `and ${noun} again`,
  ];
};

function grids(random: Random): string {
  const size = 6 + random.int(14);
  const rows = many(size, () => many(size, () => '0', ' '), '\n');
  const ruler = random.pick(['-', '=', '*', '#']).repeat(80);
  return `${preamble(random)}The grid starts empty:\n\n${rows}\n\n${ruler}\n\n| a | b |\n|---|---|\n${many(8, (i) => `| ${i} | 0 |`, '\n')}\n\n${sentence(random)}`;
}

/** Ways in which a text arrives otherwise than it was written; none turns a healthy text into a loop. */
export const transformations: readonly { readonly name: string; readonly apply: (text: string) => string }[] =
  [
    { name: 'as it is', apply: (text) => text },
    { name: 'no blank lines', apply: (text) => text.replace(/\n+/g, ' ') },
    { name: 'single newlines', apply: (text) => text.replace(/\n+/g, '\n') },
    {
      name: 'other script',
      apply: (text) =>
        text.replace(/[a-z]/gi, (letter) =>
          String.fromCharCode(0x430 + (letter.toLowerCase().charCodeAt(0) - 97)),
        ),
    },
    { name: 'cut in the middle of a word', apply: (text) => text.slice(0, Math.floor(text.length * 0.93)) },
    { name: 'stray tags', apply: (text) => text.replace(/\n\n/g, '\n</think>\n') },
  ];
