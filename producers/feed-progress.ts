/** How far a sweep is. */
export interface FeedProgress {
  readonly done: number;
  readonly total: number;
  /** Jobs in the queues of this sweep's targets: waiting (in retry included), in retry, being run. */
  readonly waiting: number;
  readonly inRetry: number;
  readonly active: number;
  /** Runs a second over the last half minute; undefined until two looks differ. */
  readonly ratePerSecond: number | undefined;
  readonly etaMs: number | undefined;
}

const WINDOW_MS = 30_000;

/** Runs a second, over the samples of the last half minute. What stood on disk before the first sample is no speed. */
export class RateMeter {
  #samples: { atMs: number; done: number }[] = [];

  /** @returns runs a second, or undefined while nothing has been done since the first sample */
  sample(atMs: number, done: number): number | undefined {
    const recent = this.#samples.filter((sample) => atMs - sample.atMs <= WINDOW_MS);
    // One sample a second at most: the window holds 30 whatever the pace of looks.
    const last = recent.at(-1);
    if (!last || atMs - last.atMs >= 1_000) recent.push({ atMs, done });
    this.#samples = recent;
    const [first] = recent;
    if (!first || atMs <= first.atMs || done <= first.done) return undefined;
    return ((done - first.done) * 1_000) / (atMs - first.atMs);
  }
}

export function etaMs(left: number, ratePerSecond: number | undefined): number | undefined {
  if (left === 0) return 0;
  return ratePerSecond === undefined ? undefined : (left / ratePerSecond) * 1_000;
}
