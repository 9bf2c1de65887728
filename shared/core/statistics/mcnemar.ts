/**
 * Exact McNemar test, two-sided: were shares equal, each discordant pair would be a fair coin (Q. McNemar, 1947).
 *
 * @param firstOnly - pairs in which only the first arm scored; whole, 0 or more
 * @param secondOnly - pairs in which only the second did
 * @returns p in (0, 1]: twice the binomial tail of the smaller count, at most 1; 1 when no pair is discordant. Under
 *   1e-300 or so it rounds to 0.
 */
export function mcnemar(firstOnly: number, secondOnly: number): number {
  if (!isWhole(firstOnly) || !isWhole(secondOnly)) {
    throw new RangeError(`discordant pairs ${firstOnly} and ${secondOnly}: expected whole numbers from 0 up`);
  }
  const n = firstOnly + secondOnly;
  const smaller = Math.min(firstOnly, secondOnly);
  // The tail is summed downwards from its largest term, in units of that term; only that one needs logarithms.
  let term = 1;
  let tail = 1;
  for (let k = smaller; k > 0 && term > Number.EPSILON * tail; k -= 1) {
    term *= k / (n - k + 1);
    tail += term;
  }
  return Math.min(1, 2 * tail * Math.exp(logBinomial(n, smaller) - n * Math.LN2));
}

/** Logarithm of n choose k, by summing: exact enough and linear in k. */
function logBinomial(n: number, k: number): number {
  let log = 0;
  for (let factor = 1; factor <= k; factor += 1) log += Math.log((n - k + factor) / factor);
  return log;
}

function isWhole(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0;
}
