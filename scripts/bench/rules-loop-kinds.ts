import type { Random } from '../../shared/core/random.ts';
import type { LoopShape } from './rules-loops.ts';

/**
 * Kinds of loops beyond the reported ones, with periods and onsets that these do not have: what a rule learnt from the
 * reports must hold here too. Words are made of syllables by seed, so no text is like another.
 */
export const loopKinds: readonly LoopShape[] = [
  kind('long period, late onset', (s) => repeat(paragraphs(s, 2 + s.random.int(27)), 5)),
  kind('a word of each paragraph changes', (s) => nearCopies(s, paragraphs(s, 1 + s.random.int(9)))),
  kind('only a number changes', (s) => counted(s)),
  kind('sentences in ever new order', (s) => shuffled(s)),
  kind('the same in other words', (s) => paraphrased(s)),
  kind('code in a fence', (s) => `\`\`\`\n${repeat(codeLines(s), 30)}`),
  kind('no blank lines', (s) => repeat(sentences(s, 1 + s.random.int(12)), 12).replace(/\n+/g, ' ')),
  kind('no white space', (s) => repeat(sentences(s, 1 + s.random.int(4)), 14).replace(/\s+/g, '')),
  kind('last copy cut off', (s) => cut(s, repeat(sentences(s, 2 + s.random.int(20)), 5))),
  kind('marks only', (s) =>
    s.random.pick(['. ', '…', '! ! ', '—', '?!', '* ', '🙂', '。。']).repeat(2_000 + s.random.int(3_000)),
  ),
  kind('digits only', (s) => `${1 + s.random.int(9_999)}, `.repeat(1_200)),
  kind('bulleted list that grows', (s) => list(s, (text) => `- ${text}`, '\n')),
  kind('numbered list that grows, over blank lines', (s) =>
    list(s, (text, place) => `${place}) ${text}`, '\n\n'),
  ),
  kind('plain list that grows', (s) =>
    list(s, (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`, '\n'),
  ),
  kind('list in a sentence', (s) => list(s, (text) => text, ', ')),
  kind('doubt without end', (s) =>
    many(
      60,
      () => `${s.random.pick(['Wait,', 'Hmm,', 'But wait,', 'Actually,', 'Alternatively,'])} ${sentence(s)}`,
      '\n\n',
    ),
  ),
];

/** The same, said in letters that are not Latin. */
export const loopScripts: readonly LoopShape[] = [
  ...[
    ['Cyrillic', 0x430, 32, ' '],
    ['Arabic', 0x628, 35, ' '],
    ['Devanagari', 0x915, 37, ' '],
    ['Hangul', 0xac00, 900, ' '],
    ['Han', 0x4e00, 2_500, ''],
    ['Kana', 0x3042, 80, ''],
    ['Thai', 0x0e01, 46, ''],
  ].flatMap(([name, first, letters, space]) =>
    [true, false].map((isExact) =>
      kind(
        `${String(name)}, ${isExact ? 'copies' : 'a word of each sentence changes'}`,
        (s) => {
          const said = sentences(s, 3 + s.random.int(8));
          return isExact ? repeat(said, 8) : nearCopies(s, said.split(/(?<=[.。] ?)/));
        },
        { first: Number(first), letters: Number(letters), space: String(space) },
      ),
    ),
  ),
];

interface Alphabet {
  readonly first: number;
  readonly letters: number;
  readonly space: string;
}

/** What a builder writes with: its words are drawn once a text, some hundreds, as a chain's are. */
interface Speaker {
  readonly random: Random;
  readonly alphabet: Alphabet | undefined;
  readonly words: readonly string[];
}

function kind(name: string, loop: (speaker: Speaker) => string, alphabet?: Alphabet): LoopShape {
  return {
    name,
    healthy: false,
    build: (random) => {
      const speaker = { random, alphabet, words: Array.from({ length: 900 }, () => word(random, alphabet)) };
      return `${paragraphs(speaker, 1 + random.int(name.includes('late') ? 300 : 40))}\n\n${loop(speaker)}`;
    },
  };
}

function word(random: Random, alphabet: Alphabet | undefined): string {
  if (alphabet !== undefined) {
    const length = alphabet.letters > 500 ? 1 + random.int(3) : 2 + random.int(6);
    return Array.from({ length }, () =>
      String.fromCharCode(alphabet.first + random.int(alphabet.letters)),
    ).join('');
  }
  return Array.from({ length: 1 + random.int(3) }, () => random.pick(syllables)).join('');
}

const syllables =
  'ba cor den fi gal hu jin kel lo mar nu os pri quo ras sen tu vol wex yor zim ath ble'.split(' ');

function sentence({ random, words, alphabet }: Speaker): string {
  const space = alphabet?.space ?? ' ';
  const said = Array.from({ length: 6 + random.int(14) }, () => random.pick(words)).join(space);
  return space === '' ? `${said}。` : `${said}.`;
}

const sentences = (s: Speaker, count: number): string =>
  many(count, () => sentence(s), s.alphabet?.space ?? ' ') + ' ';

const paragraphs = (s: Speaker, count: number): string =>
  many(count, () => sentences(s, 1 + s.random.int(4)).trim(), '\n\n') + '\n\n';

const repeat = (text: string, copies: number): string =>
  text.repeat(Math.max(copies, Math.ceil(2_500 / text.length)));

/** Copies of pieces, in each of which about one word in twelve is another; at least 8 copies, and 9,000 units. */
function nearCopies(s: Speaker, text: string | readonly string[]): string {
  const pieces = typeof text === 'string' ? text.split('\n\n') : text;
  const length = pieces.join('').length;
  const change = (piece: string): string => {
    if (s.alphabet?.space === '') {
      const at = s.random.int(Math.max(1, piece.length - 3));
      return `${piece.slice(0, at)}${s.random.pick(s.words)}${piece.slice(at + 2)}`;
    }
    return piece
      .split(' ')
      .map((said) => (s.random.int(12) === 0 ? s.random.pick(s.words) : said))
      .join(' ');
  };
  return many(Math.max(8, Math.ceil(9_000 / length)), () => pieces.map(change).join('\n\n'), '\n\n');
}

function counted(s: Speaker): string {
  const said = sentences(s, 2 + s.random.int(4));
  return many(60, (place) => `${s.random.pick(s.words)} ${place + 1}: ${said}`, '\n\n');
}

function shuffled(s: Speaker): string {
  const said = Array.from({ length: 4 + s.random.int(8) }, () => sentence(s));
  return many(60, () => s.random.shuffle(said).join(' '), '\n\n');
}

/** Every phrase of a few sentences has four wordings; each time another is drawn. */
function paraphrased(s: Speaker): string {
  const wordings = Array.from({ length: 12 }, () =>
    Array.from({ length: 4 }, () =>
      Array.from({ length: 2 + s.random.int(4) }, () => s.random.pick(s.words)).join(' '),
    ),
  );
  return many(120, () => `${wordings.map((choices) => s.random.pick(choices)).join(' ')}.`, '\n\n');
}

const codeLines = (s: Speaker): string =>
  many(
    3 + s.random.int(8),
    () => `${s.random.pick(s.words)} = ${s.random.pick(s.words)}(${s.random.int(99)})`,
    '\n',
  ) + '\n\n';

function list(s: Speaker, item: (text: string, place: number) => string, joint: string): string {
  return many(
    220,
    (place) =>
      item(
        many(2 + s.random.int(3), () => s.random.pick(s.words), ' '),
        place + 1,
      ),
    joint,
  );
}

const cut = (s: Speaker, text: string): string =>
  text.slice(0, text.length - s.random.int(Math.floor(text.length / 6)));

const many = (count: number, make: (place: number) => string, joint: string): string =>
  Array.from({ length: count }, (_, place) => make(place)).join(joint);
