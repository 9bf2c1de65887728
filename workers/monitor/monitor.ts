import type { Problem } from '../../shared/schemas/problem.ts';
import type { Step } from '../../shared/schemas/step.ts';
import type { Verdict } from '../../shared/schemas/verdict.ts';

/** What judges the steps of one chain, in order, once each. Its state is incremental: constant work a step. */
export interface ChainMonitor {
  judge(step: Step, signal: AbortSignal): Verdict | Promise<Verdict>;
}

/** A monitor: makes one `ChainMonitor` a chain. A chain taken over is fed again from its first step. */
export interface Monitor {
  readonly version: string;
  watch(problem: Problem): ChainMonitor;
}
