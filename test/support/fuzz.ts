/** `HALTLINE_FUZZ_TIMES=100` tries a hundred times as many inputs: over a million in all. */
const times = Number(process.env['HALTLINE_FUZZ_TIMES'] ?? 1);

/** Settings of a property: the same inputs in each run of the suite, and how many of them are tried is printed. */
export function fuzzParameters(name: string, seed: number, runs: number): { seed: number; numRuns: number } {
  const numRuns = runs * times;
  console.log(`fuzz: ${numRuns} inputs: ${name}`);
  return { seed, numRuns };
}

/** For a fuzz test: the long form takes as many times as long. */
export const fuzzTimeoutMs = 60_000 * times;
