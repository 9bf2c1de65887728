/**
 * What can move a cursor, hide text or turn its direction: control characters, C1 controls, soft hyphen, zero-width and
 * bidirectional marks, line and paragraph separators, interlinear and tag characters, lone surrogates.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Makes text from outside (models, files) safe to print on a terminal, on one line: whatever is not a visible character
 * or a space is written as `\n`, `\x1b` or `\u{202e}`. Everything else stays as it is.
 */
export function terminalText(text: string): string {
  return text.replace(unsafe, escapeCharacter);
}

/** The same for text of several lines: line feeds and tabs stay. */
export function terminalLines(text: string): string {
  return text.replace(unsafe, (character) =>
    character === '\n' || character === '\t' ? character : escapeCharacter(character),
  );
}

/** At most `width` characters of a safe text, the last an ellipsis where some were cut off. */
export function clip(text: string, width: number): string {
  const characters = Array.from(text);
  if (characters.length <= width) return text;
  return `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return short[character] ?? (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`);
}
