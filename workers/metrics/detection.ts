import { percentiles } from '../../shared/core/statistics/percentiles.ts';
import { clusteredShare } from '../../shared/core/statistics/share.ts';
import type { RunLine } from '../../shared/schemas/run-result.ts';
import type { Detection, Spread } from '../../shared/schemas/summary.ts';
import { counts, floats, type NumberColumn } from './number-column.ts';
import { dropReason, type RunFacts } from './run-facts.ts';
import type { CaseRun } from './pairs.ts';

/** What the monitored runs of one row showed of how fast and how late they were judged. */
export class DetectionTimes {
  readonly #steps = counts();
  readonly #tokens = counts();
  readonly #ms = floats();
  readonly #tokensAfterFlag = counts();
  readonly #verdictP50 = floats();
  readonly #verdictP95 = floats();
  #verdictMax = 0;
  #verdicts = 0;
  readonly #gateWaitMs = floats();
  #unjudged = 0;
  #superseded = 0;

  add(line: RunLine, facts: RunFacts): void {
    this.#unjudged += line.unjudged;
    this.#superseded += line.superseded;
    if (line.verdictMs !== undefined) {
      this.#verdicts += line.verdictMs.n;
      this.#verdictP50.push(line.verdictMs.p50);
      this.#verdictP95.push(line.verdictMs.p95);
      this.#verdictMax = Math.max(this.#verdictMax, line.verdictMs.max);
    }
    if (dropReason(facts) !== undefined) return;
    this.#gateWaitMs.push(line.timing.gateWaitMs);
    if (line.flag === undefined) return;
    this.#ms.push(line.flag.detectionMs);
    // Nothing was received when a recorded chain was flagged.
    if (line.replayed === undefined) this.#tokensAfterFlag.push(line.flag.tokensAfterFlag);
    if (line.flag.when !== 'cut') return;
    this.#steps.push(Math.max(0, line.steps - 1 - line.flag.stepIndex));
    this.#tokens.push(facts.allTokens - facts.allAtFlag);
  }

  /** @param runs - the runs of the row, for the share of flags that came before the answer */
  summarise(runs: Iterable<CaseRun>): Detection {
    const beforeAnswer: boolean[] = [];
    const clusters: number[] = [];
    for (const { run, cluster } of runs) {
      if (!run.flagged || dropReason(run) !== undefined) continue;
      beforeAnswer.push(run.beforeAnswer);
      clusters.push(cluster);
    }
    const verdicts = percentiles(this.#verdictP95.toArray());
    return {
      ...named('steps', this.#steps),
      ...named('tokens', this.#tokens),
      ...named('ms', this.#ms),
      ...named('tokensAfterFlag', this.#tokensAfterFlag),
      beforeAnswer: clusteredShare(beforeAnswer, clusters),
      ...(verdicts && {
        verdictMs: {
          n: this.#verdicts,
          p50: percentiles(this.#verdictP50.toArray())?.p50 ?? 0,
          p95: verdicts.p95,
          max: this.#verdictMax,
        },
      }),
      ...named('gateWaitMs', this.#gateWaitMs),
      unjudged: this.#unjudged,
      superseded: this.#superseded,
    };
  }
}

/** The spread of a list under a name; nothing when it is empty. */
export function named<Name extends string>(name: Name, column: NumberColumn): Partial<Record<Name, Spread>> {
  const spread = percentiles(column.toArray());
  const record: Partial<Record<Name, Spread>> = {};
  if (spread !== undefined) record[name] = { ...spread };
  return record;
}
