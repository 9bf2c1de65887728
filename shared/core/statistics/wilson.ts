import { z95, type Interval } from './estimate.ts';

/**
 * Wilson's 95% score interval for a share of independent trials (E. B. Wilson, 1927). It never leaves [0, 1], and at
 * 0 or `n` successes it is one-sided, not empty. Exact coverage for n = 30 and 100 and shares from 0.05 to 0.8 lies
 * between 92% and 98%; a test sums it up.
 *
 * @param successes - in [0, n]; may be fractional (an effective count)
 * @param n - trials, 0 or more; with 0 the interval is [0, 1]: nothing is known
 */
export function wilson(successes: number, n: number): Interval {
  if (!(n >= 0 && successes >= 0 && successes <= n)) {
    throw new RangeError(`share of ${successes} out of ${n}`);
  }
  if (n === 0) return { low: 0, high: 1 };
  const share = successes / n;
  const z2 = z95 * z95;
  const centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const half = (z95 / (1 + z2 / n)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  return {
    low: successes === 0 ? 0 : Math.max(0, centre - half),
    high: successes === n ? 1 : Math.min(1, centre + half),
  };
}
