/** A stretch of text, `end` exclusive. */
export interface Group {
  readonly start: number;
  readonly end: number;
}

export interface ObjectGroups {
  /** Outermost `{...}` that close, in order. */
  readonly closed: readonly Group[];
  /** Where a `{` stands that never closes. What follows it is looked through as if it were not there. */
  readonly unclosed: readonly number[];
}

const NONE = -1;

/**
 * The outermost `{...}` of a text. Braces within double-quoted strings of a group do not count; outside of groups
 * quotes mean nothing. Linear: the place where a brace closes depends only on what follows it, so all are computed in
 * one pass from the end, for both cases of every place (in a string or not).
 */
export function findObjectGroups(text: string): ObjectGroups {
  const closings = findClosings(text);
  const closed: Group[] = [];
  const unclosed: number[] = [];
  for (let at = text.indexOf('{'); at >= 0;) {
    const end = closings[at + 1] ?? NONE;
    if (end === NONE) unclosed.push(at);
    else closed.push({ start: at, end: end + 1 });
    at = text.indexOf('{', end === NONE ? at + 1 : end + 1);
  }
  return { closed, unclosed };
}

/** For each place outside a string: where the first `}` stands that closes a brace opened before it. */
function findClosings(text: string): Int32Array {
  const { length } = text;
  const outside = new Int32Array(length + 3).fill(NONE);
  const inside = new Int32Array(length + 3).fill(NONE);
  for (let at = length - 1; at >= 0; at -= 1) {
    const unit = text[at];
    inside[at] = (unit === '"' ? outside[at + 1] : inside[at + (unit === '\\' ? 2 : 1)]) ?? NONE;
    outside[at] = closingFrom(at);
  }
  return outside;

  function closingFrom(at: number): number {
    const unit = text[at];
    if (unit === '}') return at;
    if (unit === '"') return inside[at + 1] ?? NONE;
    const next = outside[at + 1] ?? NONE;
    if (unit !== '{' || next === NONE) return next;
    return outside[next + 1] ?? NONE;
  }
}
