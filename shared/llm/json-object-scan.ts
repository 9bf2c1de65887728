const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Finds where a JSON object that arrives line by line may end, reading each character once: trying `JSON.parse` on
 * every longer prefix would take quadratic time.
 *
 * `open`: no end yet. `closed`: the outermost bracket has closed, so the lines so far are an object now or never.
 * `never`: they do not start with `{`.
 */
export class JsonObjectScan {
  state: 'open' | 'closed' | 'never' = 'open';
  private depth = 0;
  private inString = false;
  private escaped = false;

  push(line: string): void {
    for (let at = 0; at < line.length && this.state === 'open'; at++) this.read(line.charCodeAt(at));
  }

  private read(unit: number): void {
    if (this.escaped) this.escaped = false;
    else if (unit === QUOTE) this.inString = !this.inString;
    else if (this.inString) this.escaped = unit === BACKSLASH;
    else this.readBracket(String.fromCharCode(unit));
    if (this.depth === 0 && this.inString) this.state = 'never';
  }

  private readBracket(character: string): void {
    if (character === '{' || character === '[') {
      if (this.depth === 0 && character === '[') this.state = 'never';
      this.depth++;
    } else if (character === '}' || character === ']') {
      this.depth--;
      if (this.depth <= 0) this.state = this.depth === 0 ? 'closed' : 'never';
    } else if (this.depth === 0 && character.trim() !== '') {
      this.state = 'never';
    }
  }
}
