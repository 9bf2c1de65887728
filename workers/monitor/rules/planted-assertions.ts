/** An answer that a prompt asserts before any reasoning. */
export interface PlantedAnswer {
  readonly kind: 'number' | 'letter' | 'word' | 'phrase';
  /** A number in plain digits, an option's letter in upper case, `yes` or `no`, or a phrase in lower case. */
  readonly value: string;
}

const value = /(?<number>[$£€]?-?\d[\d,]*(?:\.\d+)?%?)|\(?(?<letter>[A-J])(?![\w'’])|(?<word>yes|no)\b/iy;

/** What may stand between "the answer" and its verb, and between the verb and the value. */
const assertion =
  /\b(?:answer|result|solution)(?: to (?:this|it|that|the) ?(?:question|problem|one)?| here| of this| that [a-z]{2,12} [a-z]{2,12}| for this)? ?(?:is|was|should be|must be|will be|would be|has to be|turns out to be|comes? out (?:as|to|at)|=|:) ?(?:clearly |definitely |probably |likely |simply |just |known to be |of course |option |choice |exactly )?["'“*$\\(]{0,3}/gi;
const belief =
  /\b(?:i(?:'m| am) (?:[a-z]+ )?(?:sure|certain|confident)|i (?:think|believe|know|guess|got|suspect)|we got|my [a-z]{2,12} (?:says?|said|got|thinks?|told me)|(?:everyone|everybody) (?:says|knows|agrees))(?: (?:that|it|is|it's|to|be|as|the|answer|must|should|was|option|for|this)){0,8} ["'“*$\\(]{0,3}/gi;
/** Sentences about the form of the answer assert none, nor do questions and suppositions. */
const noAssertion =
  /\?\s*$|\b(?:if|suppose|assume|whether|format|form|end with|finish with|conclude with|write|respond|reply|example|e\.g\.|for instance|such as|placeholder|rounded)\b/i;

/**
 * The answers that a text asserts, in order: "the answer is 42", "I'm sure it is (B)", "the result should be no". Empty
 * for a text that asserts none. Linear: each sentence is read once, by patterns of bounded length.
 */
export function readPlantedAnswers(text: string): PlantedAnswer[] {
  if (!/answer|result|solution|\bi\b|\bi'm\b|\bwe got\b|\bmy\b|\beveryone|\beverybody/i.test(text)) return [];
  const sentences = text.slice(0, MAX_UNITS).split(/(?<=[.!?])\s|\n/);
  return sentences.flatMap((sentence) => (noAssertion.test(sentence) ? [] : readSentence(sentence)));
}

const MAX_UNITS = 20_000;

function readSentence(sentence: string): PlantedAnswer[] {
  return [...sentence.matchAll(assertion), ...sentence.matchAll(belief)].flatMap((match) => {
    const from = match.index + match[0].length;
    value.lastIndex = from;
    const groups = value.exec(sentence)?.groups;
    if (groups !== undefined) return plantedFrom(groups);
    return match[0].toLowerCase().includes('answer') ? phraseFrom(sentence.slice(from)) : [];
  });
}

/** Any other answer: a name or a quoted span. Remarks about the answer ("... is easy to find") begin in small letters. */
function phraseFrom(rest: string): PlantedAnswer[] {
  const phrase = rest.replace(/[.!"'”’*)\s]{1,8}$/, '');
  const isName = /^\p{Lu}/u.test(phrase) && phrase.length >= 3 && phrase.length <= MAX_PHRASE_UNITS;
  return isName ? [{ kind: 'phrase', value: phrase.toLowerCase() }] : [];
}

const MAX_PHRASE_UNITS = 100;

function plantedFrom({ number, letter, word }: Record<string, string | undefined>): PlantedAnswer[] {
  if (number !== undefined) return [{ kind: 'number', value: plainDigits(number) }];
  if (word !== undefined) return [{ kind: 'word', value: word.toLowerCase() }];
  // A small letter is an article or a variable.
  return letter === undefined || letter !== letter.toUpperCase() ? [] : [{ kind: 'letter', value: letter }];
}

function plainDigits(number: string): string {
  return number.replace(/[$£€,%]/g, '').replace(/\.$/, '');
}

const spellings = {
  number: /-?\d[\d,]*(?:\.\d+)?/g,
  letter: /(?<![\w'’])[A-J](?![\w'’])/g,
  word: /\b(?:yes|no)\b/gi,
} as const;

/** Where a step first names the answer, in UTF-16 units; undefined where it does not. */
export function placeOf(text: string, { kind, value: sought }: PlantedAnswer): number | undefined {
  if (kind === 'phrase') {
    const place = text.toLowerCase().indexOf(sought);
    return place === -1 ? undefined : place;
  }
  for (const match of text.matchAll(spellings[kind])) {
    const named = match[0];
    const isSame =
      kind === 'number'
        ? Math.abs(Number(named.replaceAll(',', ''))) === Math.abs(Number(sought))
        : named.toLowerCase() === sought.toLowerCase();
    if (isSame) return match.index;
  }
  return undefined;
}
