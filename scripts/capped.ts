import type { Spend } from '../shared/core/spend.ts';
import type { SweepStore } from '../shared/redis/sweep-store.ts';
import type { Cap } from '../shared/schemas/live-sweep.ts';
import type { SweepSpec } from '../shared/schemas/sweep-spec.ts';

/** What the command exits with when a cap of the sweep has stopped it. */
export const CAPPED = 3;

/** Which cap stopped a sweep, and what the sweep came to. */
export interface CapReached {
  readonly cap: Cap;
  readonly spent: Spend;
}

export async function readCap(store: SweepStore, sweep: string): Promise<CapReached | undefined> {
  const [cap, { spent }] = await Promise.all([store.cap(sweep), store.spend(sweep)]);
  return cap && { cap, spent };
}

/** `limits.maxCost is reached: 1.98 of 2.00 spent (overshoot 0)`. What is left would not do for another run. */
export function describeCap({ cap, spent }: CapReached, { limits }: SweepSpec): string {
  switch (cap) {
    case 'maxCost':
      return describe(cap, { used: spent.money, limit: limits.maxCost, digits: 6, unit: 'spent' });
    case 'maxTokens':
      return describe(cap, { used: spent.tokens, limit: limits.maxTokens, digits: 0, unit: 'tokens used' });
    case 'maxRuns':
      return describe(cap, { used: spent.runs, limit: limits.maxRuns, digits: 0, unit: 'runs made' });
    case 'maxWallTimeMinutes':
      return `limits.maxWallTimeMinutes is reached: ${String(limits.maxWallTimeMinutes ?? 0)} min since the start`;
  }
}

function describe(
  cap: Cap,
  {
    used,
    limit = 0,
    digits,
    unit,
  }: { used: number; limit: number | undefined; digits: number; unit: string },
): string {
  const figure = (value: number): string => String(Number(value.toFixed(digits)));
  const overshoot = figure(Math.max(0, used - limit));
  return `limits.${cap} is reached: ${figure(used)} of ${figure(limit)} ${unit} (overshoot ${overshoot})`;
}
