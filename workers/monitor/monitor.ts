import type { Problem } from '../../shared/schemas/problem.ts';
import type { MonitorUse } from '../../shared/schemas/run-result.ts';
import type { Step } from '../../shared/schemas/step.ts';
import type { Verdict } from '../../shared/schemas/verdict.ts';

/** What one judgement may use of its watch. */
export interface JudgeContext {
  /** Aborted when the verdict is of no more use: the step is superseded, the watch is over, or the worker stops. */
  readonly signal: AbortSignal;
  /** Adds what a call cost to the run's account: once a call, however it ended. */
  readonly book: (use: MonitorUse) => void;
}

/**
 * What judges the steps of one chain, in order, once each. Its state is incremental: constant work a step. A promise
 * may be pending while later steps are judged; it may reject only once its signal is aborted.
 */
export interface ChainMonitor {
  judge(step: Step, context: JudgeContext): Verdict | Promise<Verdict>;
}

/** A monitor: makes one `ChainMonitor` a chain. A chain taken over is fed again from its first step. */
export interface Monitor {
  readonly version: string;
  watch(problem: Problem): ChainMonitor;
}
