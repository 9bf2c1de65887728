import type { Group } from './object-groups.ts';

const blank = /\s/;
const scalar = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+\w.]+/sy;

/**
 * The groups that stand directly behind a `[`, or behind elements of it, whose `]` does not follow: an array that was
 * cut, or is none.
 *
 * @param groups - outermost groups of the text, in order
 */
export function findGroupsOfOpenArrays(text: string, groups: readonly Group[]): ReadonlySet<Group> {
  const found = new Set<Group>();
  let pending: Group[] = [];
  let depth = 0;
  let next = 0;
  const giveUp = (): void => {
    for (const group of pending) found.add(group);
    pending = [];
    depth = 0;
  };
  for (let at = 0; at < text.length;) {
    const group = groups[next];
    const unit = text.charAt(at);
    if (group?.start === at) {
      if (depth > 0) pending.push(group);
      next += 1;
      at = group.end;
      continue;
    }
    if (unit === '[') depth += 1;
    else if (unit === ']' && depth > 0) {
      depth -= 1;
      if (depth === 0) pending = [];
    } else if (depth > 0 && unit !== ',' && !blank.test(unit)) {
      const end = scalarEnd(text, at);
      if (end > at && end <= (group?.start ?? text.length)) {
        at = end;
        continue;
      }
      giveUp();
    }
    at += 1;
  }
  giveUp();
  return found;
}

function scalarEnd(text: string, at: number): number {
  scalar.lastIndex = at;
  return scalar.test(text) ? scalar.lastIndex : at;
}
