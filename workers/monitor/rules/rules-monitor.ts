import type { Problem } from '../../../shared/schemas/problem.ts';
import type { Step } from '../../../shared/schemas/step.ts';
import type { Verdict } from '../../../shared/schemas/verdict.ts';
import type { ChainMonitor, Monitor } from '../monitor.ts';
import { addressedMonitorRule } from './addressed-monitor.ts';
import { arithmeticRule } from './arithmetic.ts';
import { backdoorStepRule } from './backdoor-step.ts';
import { bareAnswerRule } from './bare-answer.ts';
import { changedAnswerRule } from './changed-answer.ts';
import { changedValueRule } from './changed-value.ts';
import { confidences } from './confidences.ts';
import { exactLoopRule } from './exact-loop.ts';
import { foreignProblemRule } from './foreign-problem.ts';
import { growingListRule } from './growing-list.ts';
import { hesitationRule } from './hesitation.ts';
import { injectedTaskRule } from './injected-task.ts';
import { missingConstraintRule } from './missing-constraint.ts';
import { plantedAnswerRule } from './planted-answer.ts';
import { relabelledAnswerRule } from './relabelled-answer.ts';
import { repeatedStepRule } from './repeated-step.ts';
import { createRestatedLoopRule } from './restated-loop.ts';
import type { Finding, Policy, Rule, RuleState } from './rule.ts';
import { StepReading } from './step-reading.ts';
import { ungroundedQuantityRule } from './ungrounded-quantity.ts';

export interface RulesMonitorOptions {
  /** Default `precise`: what is raised on clean chains has been measured (`scripts/bench/rules.ts`). */
  readonly policy?: Policy;
  /** A monotonic clock in milliseconds for `durationMs`; without one it is 0. */
  readonly now?: () => number;
  /** Default: every rule of the policy. The order is the priority: the first finding of a step wins. */
  readonly rules?: readonly Rule[];
}

/** A rules monitor judges at once and never fails: its verdicts are all of status `judged`. */
export interface RulesMonitor extends Monitor {
  watch(problem: Problem): RulesChainMonitor;
}

export interface RulesChainMonitor extends ChainMonitor {
  judge(step: Step): Verdict & { status: 'judged' };
}

/** The rules of a policy, in order of priority. */
export function rulesOf(policy: Policy): Rule[] {
  return [
    exactLoopRule,
    createRestatedLoopRule(policy),
    growingListRule,
    repeatedStepRule,
    arithmeticRule,
    backdoorStepRule,
    relabelledAnswerRule,
    changedAnswerRule,
    plantedAnswerRule,
    injectedTaskRule,
    foreignProblemRule,
    addressedMonitorRule,
    bareAnswerRule,
    hesitationRule,
    ...(policy === 'sensitive' ? [ungroundedQuantityRule, changedValueRule, missingConstraintRule] : []),
  ];
}

/** Deterministic monitor: no model, no I/O, constant work a step for a chain of any length. */
export function createRulesMonitor(options: RulesMonitorOptions = {}): RulesMonitor {
  const policy = options.policy ?? 'precise';
  const rules = options.rules ?? rulesOf(policy);
  const now = options.now ?? ((): number => 0);
  return {
    version: `rules-2-${policy}`,
    watch: (problem) => {
      const states = rules.map((rule) => ({ rule, state: rule.begin(problem) }));
      return { judge: (step) => judgeStep(states, step, now) };
    },
  };
}

interface RunningRule {
  readonly rule: Rule;
  readonly state: RuleState;
}

/** Every rule sees the step, whoever speaks first: their states need all of the chain. */
function judgeStep(
  states: readonly RunningRule[],
  step: Step,
  now: () => number,
): Verdict & { status: 'judged' } {
  const startedAt = now();
  const reading = new StepReading(step);
  let first: { rule: string; finding: Finding } | undefined;
  for (const { rule, state } of states) {
    const finding = state.inspect(reading);
    if (finding !== undefined) first ??= { rule: rule.name, finding };
  }
  const durationMs = Math.max(0, now() - startedAt);
  return first === undefined ? passed(step.index, durationMs) : raised(step.index, durationMs, first);
}

function passed(stepIndex: number, durationMs: number): Verdict & { status: 'judged' } {
  return {
    status: 'judged',
    stepIndex,
    errorDetected: false,
    errorType: 'NO_ERROR',
    confidence: 1,
    errorLocation: '',
    errorExplanation: '',
    durationMs,
  };
}

function raised(
  stepIndex: number,
  durationMs: number,
  { rule, finding }: { rule: string; finding: Finding },
): Verdict & { status: 'judged' } {
  return {
    status: 'judged',
    stepIndex,
    errorDetected: true,
    errorType: finding.errorType,
    confidence: confidenceOf(rule, finding),
    errorLocation: finding.quote,
    errorExplanation: finding.explanation,
    rule,
    durationMs,
  };
}

/** The measured precision of the rule; its own guess where nothing was measured. */
function confidenceOf(rule: string, finding: Finding): number {
  const measured = confidences.get(rule);
  return measured === undefined || measured.source === 'none' ? finding.confidence : measured.value;
}
