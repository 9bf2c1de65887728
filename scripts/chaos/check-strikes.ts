import type { Check } from './check.ts';

/** How often each strike came, by its name (`kill monitor`, `freeze metrics`, `kill-redis` …). */
export type StrikeCounts = Readonly<Record<string, number>>;

/** What must have been struck for a full run to have shown anything. */
const leastOfFull = { kills: 100, redisKills: 3, freezes: 3, cuts: 1, fills: 1 };
const countNames = ['kills', 'redisKills', 'freezes', 'cuts', 'fills'] as const;

export interface Struck {
  readonly strikes: StrikeCounts;
  /** Processes that ended by themselves: of an input, or of a server that was away. */
  readonly unexpectedExits: readonly string[];
  readonly size: 'short' | 'full';
}

/** The strikes came, and only strikes ended processes. */
export function checkStrikes({ strikes, unexpectedExits, size }: Struck): Check {
  const count = (prefix: string): number =>
    Object.entries(strikes).reduce((sum, [name, times]) => sum + (name.startsWith(prefix) ? times : 0), 0);
  const counts = {
    kills: count('kill '),
    redisKills: count('kill-redis'),
    freezes: count('freeze '),
    cuts: count('cut-connections'),
    fills: count('fill-redis'),
  };
  const problems = unexpectedExits.map((exit) => `ended by itself: ${exit}`);
  if (size === 'full') {
    for (const name of countNames)
      if (counts[name] < leastOfFull[name])
        problems.push(`${counts[name]} ${name}, expected at least ${leastOfFull[name]}`);
  }
  const detail =
    `${counts.kills} processes killed, Redis killed ${counts.redisKills}, filled ${counts.fills}, ` +
    `cut off ${counts.cuts} times, ${counts.freezes} processes frozen`;
  return { name: 'strikes came, and only they ended processes', problems, detail };
}
