import type { ChainLabel } from '../producers/chains/open-chain-files.ts';
import { errorCodeOf } from '../shared/core/source-labels.ts';
import { callMoney } from '../shared/core/spend.ts';
import type { Price } from '../shared/schemas/sweep-file.ts';
import type { MonitorUse } from '../shared/schemas/run-result.ts';
import {
  type ChainComparison,
  type ChainFigures,
  chainFigures,
  compareMonitors,
  type JudgedChain,
} from '../workers/metrics/labelled-chains.ts';
import type { JudgedRun } from '../workers/metrics/read-judged-runs.ts';

/** What `haltline bench chains` tells of one monitor. */
export interface MonitorReport extends ChainFigures {
  readonly monitor: string;
  readonly steps: number;
  /** Mean time of judging a step, waits for a model included; absent where no step was judged. */
  readonly microsecondsPerStep?: number;
  /** Its verdicts came from the simulator, any of them: they say nothing about any model. */
  readonly simulated?: true;
  /** Calls and tokens of a monitor that asks a model. */
  readonly use: MonitorUse;
  /** What they came to, by the price of its model; absent without one. */
  readonly cost?: number;
}

/** The first monitor's figures; with two monitors, the second's beside it and what parts them on the same chains. */
export interface ChainReport extends MonitorReport {
  readonly seed: string;
  /** From the start of the workers to the last line on disk. */
  readonly seconds: number;
  readonly against?: MonitorReport;
  readonly compared?: ChainComparison;
}

export interface ReportInput {
  readonly labels: readonly ChainLabel[];
  readonly runs: readonly JudgedRun[];
  /** Ids, in the order of the plan: a run's place tells its chain and its monitor. */
  readonly monitors: readonly string[];
  /** Of the models that monitors ask, by the monitor's id. */
  readonly prices?: Readonly<Record<string, Price | undefined>>;
  readonly seed: string;
  readonly seconds: number;
}

/** Joins runs with their labels, which have never left this side. */
export function buildChainReport({
  labels,
  runs,
  monitors,
  prices,
  seed,
  seconds,
}: ReportInput): ChainReport {
  const size = monitors.length;
  const parts = monitors.map((monitor, own) => {
    const judgedRuns = runs.filter(({ place }) => place % size === own);
    const judged = judgedRuns.flatMap((run) => joinLabel(labels, run, Math.floor(run.place / size)));
    return { judged, report: monitorReport({ monitor, price: prices?.[monitor] }, judgedRuns, judged) };
  });
  const [first, second] = parts;
  if (!first) throw new Error('a report without a monitor');
  return {
    ...first.report,
    ...{ seed, seconds },
    ...(second && { against: second.report, compared: compareMonitors(first.judged, second.judged) }),
  };
}

function joinLabel(labels: readonly ChainLabel[], run: JudgedRun, chain: number): JudgedChain[] {
  const label = labels[chain];
  if (label === undefined || run.dropped !== undefined) return [];
  const { dataset, cluster, firstError, errorType } = label;
  const code = firstError === null ? undefined : errorCodeOf(dataset, errorType);
  return [{ chain, dataset, cluster, firstError, code, flag: run.flag }];
}

function monitorReport(
  { monitor, price }: { readonly monitor: string; readonly price: Price | undefined },
  runs: readonly JudgedRun[],
  judged: readonly JudgedChain[],
): MonitorReport {
  const dropped: Record<string, number> = {};
  for (const { dropped: reason } of runs)
    if (reason !== undefined) dropped[reason] = (dropped[reason] ?? 0) + 1;
  const sum = (of: (run: JudgedRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const judgedSteps = sum((run) => run.judgedSteps);
  const use = {
    calls: sum((run) => run.use.calls),
    tokensIn: sum((run) => run.use.tokensIn),
    tokensOut: sum((run) => run.use.tokensOut),
    tokensCached: sum((run) => run.use.tokensCached),
  };
  const money = use.calls === 0 ? undefined : callMoney(price, use);
  return {
    monitor,
    ...chainFigures(judged, dropped),
    steps: sum((run) => run.steps),
    ...(judgedSteps > 0 && { microsecondsPerStep: (1_000 * sum((run) => run.judgingMs)) / judgedSteps }),
    ...(sum(({ use }) => use.simulatedCalls ?? 0) > 0 && { simulated: true as const }),
    use,
    ...(money !== undefined && { cost: money }),
  };
}
