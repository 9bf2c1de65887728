const names = ['think', 'thinking', 'thought', 'mm:think', 'seed:think'];

/** Tags that open and close a block of reasoning inside content (test/cases/README.md, 1.4). */
export const openingTags: readonly string[] = names.map((name) => `<${name}>`);
export const closingTags: readonly string[] = names.map((name) => `</${name}>`);

/** The closing tag that ends the block of an opening one. */
export function closingTagOf(openingTag: string): string {
  return openingTag.replace('<', '</');
}
