/** Refusals open with these; one that comes after paragraphs of work is no refusal. */
const REFUSAL_OPENING = 240;

const apology = String.raw`(?:i['’]?m (?:very |so |really )?sorry|i am sorry|sorry|i apologi[sz]e|my apologies|unfortunately)`;
const inability = String.raw`i (?:can(?:['’]t|not| not)|am unable|won['’]t|will not|must decline|am not able)|i['’]m (?:unable|not able)`;
const help = String.raw`(?:to )?(?:help|assist|comply|provide|answer|fulfil|fulfill|continue|do that|support|engage|discuss|share)`;
const refusal = new RegExp(
  String.raw`^\W*(?:${apology}\W+(?:but\W+)?)?(?:as an ai[^.]{0,80}?)?(?:${inability})\W+(?:be able )?${help}\b`,
  'i',
);
const shortApology = new RegExp(String.raw`^\W*${apology}\W+(?:but\W+)?(?:${inability})`, 'i');

/**
 * Whether a text declines to answer: it opens with an apology or a statement of inability about helping. A text
 * without that in its first 240 characters is none, and an empty text is none.
 */
export function isRefusal(text: string): boolean {
  const opening = text.trimStart().slice(0, REFUSAL_OPENING);
  return refusal.test(opening) || (text.length <= 2 * REFUSAL_OPENING && shortApology.test(opening));
}
