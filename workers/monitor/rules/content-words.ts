import { isNumeral, wordHashes } from './words.ts';

const common =
  'a about above after again all also an and any are as at be because been before being between both but by can could ' +
  'did do does done down each every first for from get give given gives go goes had has have he her here him his how i ' +
  'if in into is it its itself just last least less let like made make makes many may me more most much must my need new ' +
  'next no none not now of off on once one only or other our out over own right same say says she should since so some ' +
  'step still such take than that the their them then there these they thing this those through time to too two under ' +
  'until up us use used very was way we well went were what when where which while who whole why will with within would ' +
  'yes you your s t ll re ve d m answer question problem context text number total find answers';

const commonHashes: ReadonlySet<number> = new Set(wordHashes(common));

/** Hashes of the words of a text that say what it is about: no numerals, none of the words that every text has. */
export function contentWords(text: string): number[] {
  return wordHashes(text).filter((word) => !isNumeral(word) && !commonHashes.has(word));
}
