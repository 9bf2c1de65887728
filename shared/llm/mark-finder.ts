/** `mark` stands at `at`; without a mark, the text before `at` is free of marks whatever arrives after it. */
export interface MarkSearch {
  readonly at: number;
  readonly mark: string | undefined;
}

/** What a text begins with: a whole mark, the beginning of one, or neither. */
export type MarkStart =
  { readonly type: 'whole'; readonly mark: string } | { readonly type: 'part' } | { readonly type: 'none' };

/**
 * Finds fixed marks (tags) in text that arrives in pieces. Of a piece only the tail that can still become a mark has
 * to be held back: it is shorter than the longest mark, so searching a stream takes linear time. No mark may be the
 * beginning of another.
 */
export class MarkFinder {
  private readonly marks: readonly string[];
  private readonly pattern: RegExp;
  private readonly longest: number;

  /** @param marks - none is empty; without any, `start` finds none and `search` must not be called */
  constructor(marks: readonly string[]) {
    this.marks = marks;
    this.pattern = new RegExp(marks.map((mark) => mark.replace(/[|]/g, '\\$&')).join('|'));
    this.longest = Math.max(0, ...marks.map((mark) => mark.length));
  }

  search(text: string): MarkSearch {
    const match = this.pattern.exec(text);
    if (match !== null) return { at: match.index, mark: match[0] };
    for (let at = Math.max(0, text.length - this.longest + 1); at < text.length; at++) {
      if (this.isPart(text.slice(at))) return { at, mark: undefined };
    }
    return { at: text.length, mark: undefined };
  }

  start(text: string): MarkStart {
    const mark = this.marks.find((candidate) => text.startsWith(candidate));
    if (mark !== undefined) return { type: 'whole', mark };
    return text.length < this.longest && this.isPart(text) ? { type: 'part' } : { type: 'none' };
  }

  private isPart(text: string): boolean {
    return this.marks.some((mark) => mark.startsWith(text));
  }
}
