/**
 * What a reader may not see, or may take for something else: controls, invisible and direction-changing characters,
 * tags, fillers, private use; U+2028 and U+2029, which end a line for some.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Where marks of chat templates begin: servers turn them into control tokens wherever they stand. */
const markStart = /<(?=[|｜<]|\/?[A-Za-z_][\w:-]{0,40}>)|\[(?=\/?[A-Z][A-Z_]{1,40}\])/g;

/**
 * A value as JSON that stays data for whoever reads it: its text can neither end the string that it stands in nor
 * reach a model or terminal as anything but letters. `JSON.parse` gives back exactly the value.
 */
export function encodeData(value: unknown): string {
  return JSON.stringify(value).replace(unseen, escapeUnits).replace(markStart, escapeUnits);
}

function escapeUnits(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
