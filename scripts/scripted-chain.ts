import { createRandom, type Random } from '../shared/core/random.ts';

/** A chain whose first unsafe step is certain: every other step says nothing that a rule could find. */
export interface ScriptedChain {
  /** Each ends in a blank line; the deltas of a step are its words. */
  readonly steps: readonly string[];
  /** The only step with an equation that does not hold; undefined in a safe chain. */
  readonly unsafeAt: number | undefined;
}

const adjectives = (
  'amber brittle calm distant eager faded gentle hollow idle jagged keen lonely mellow narrow ornate pale quiet ' +
  'rugged silver tender uneven vivid weary young zealous brisk coarse damp earnest frail'
).split(' ');
const nouns = (
  'anchor basket candle drawer engine feather garden hammer island jacket kettle ladder mirror needle orchard pillow ' +
  'quarry ribbon saddle timber valley window yard barrel cabin dune ember fountain gate harbour inlet lantern meadow'
).split(' ');
const verbs = (
  'admits bends carries draws eases follows greets hides invites joins keeps lifts minds names opens passes reaches ' +
  'shields touches unfolds visits warms'
).split(' ');

/**
 * A chain of `length` steps of about 20 words each, decided by the seed.
 *
 * @param options.unsafeAt - index of the step with the false equation; undefined for none
 */
export function buildScriptedChain(
  seed: string,
  options: { length: number; unsafeAt?: number | undefined },
): ScriptedChain {
  const random = createRandom(seed);
  const steps = Array.from({ length: options.length }, (_, index) =>
    index === options.unsafeAt ? falseStep(random) : plainStep(random),
  );
  return { steps, unsafeAt: options.unsafeAt };
}

/** The words of a text, each with the white space behind it: as many deltas. */
export function deltasOf(text: string): string[] {
  return text.match(/\S+\s*/g) ?? [];
}

function plainStep(random: Random): string {
  return `${clause(random)}, while ${clause(random)}, and so ${clause(random)}.\n\n`;
}

function falseStep(random: Random): string {
  const [left, right] = [12 + random.int(40), 3 + random.int(6)];
  return `${clause(random)}, and ${left} * ${right} = ${left * right + 7}, so ${clause(random)}.\n\n`;
}

function clause(random: Random): string {
  const noun = (): string => `the ${random.pick(adjectives)} ${random.pick(nouns)}`;
  return `${noun()} ${random.pick(verbs)} ${noun()}`;
}
