import type { MetricName, Sample } from '../../shared/observability/metrics-registry.ts';
import type { SweepStatus } from '../../shared/schemas/live-sweep.ts';
import type { Summary, SummaryRow } from '../../shared/schemas/summary.ts';
import type { SweepFile } from '../../shared/schemas/sweep-file.ts';
import { cost, ownPricesOf, spentOf } from './cost.ts';
import type { Fold } from './fold.ts';
import { areLabelled } from './recorded-targets.ts';

/** A sweep's state at one moment, for Prometheus. */
export interface SweepReading {
  readonly total: number;
  readonly file: SweepFile;
  readonly fold: Fold;
  readonly summary: Summary | undefined;
  readonly deadLetters: number;
  readonly backlogBytes: number;
  readonly status: SweepStatus;
}

/** All samples of one sweep: counters of what is on disk now, gauges of its latest summary. */
export function* sweepSamples(reading: SweepReading): Generator<Sample> {
  const { file, fold, summary } = reading;
  const { name: sweep, limits } = file.spec;
  yield { name: 'haltline_sweep_planned_runs', labels: { sweep }, value: reading.total };
  yield { name: 'haltline_sweep_progress_ratio', labels: { sweep }, value: fold.lines / reading.total };
  yield { name: 'haltline_sweep_simulated', labels: { sweep }, value: Number(fold.simulated) };
  if (file.replayed) yield { name: 'haltline_sweep_replayed', labels: { sweep }, value: 1 };
  yield { name: 'haltline_results_backlog_bytes', labels: { sweep }, value: reading.backlogBytes };
  yield { name: 'haltline_results_backlog_bound_bytes', labels: { sweep }, value: limits.backlogBytes };
  yield* pauseSamples(reading);
  yield { name: 'haltline_result_repeats_total', labels: { sweep }, value: fold.repeats };
  yield { name: 'haltline_dead_letters_total', labels: { sweep }, value: reading.deadLetters };
  for (const { target, dataset, arm, monitor = 'none', outcome, runs } of fold.groups.values()) {
    const labels = { sweep, target, dataset, arm, monitor, outcome };
    yield { name: 'haltline_runs_total', labels, value: runs };
  }
  yield* spendingSamples(file, fold);
  yield* capSamples(file, fold);
  yield* tallySamples(file, fold);
  for (const row of summary?.rows ?? []) yield* rowSamples(sweep, row);
}

/** Waits for monitors are known to generation workers alone: `haltline_generation_paused`. */
function* pauseSamples({ file, status, backlogBytes }: SweepReading): Generator<Sample> {
  const { name: sweep, limits } = file.spec;
  const reasons = {
    paused: status === 'paused',
    capped: status === 'capped',
    backlog: status === 'running' && backlogBytes > limits.backlogBytes,
  };
  for (const [reason, holds] of Object.entries(reasons))
    yield { name: 'haltline_sweep_paused', labels: { sweep, reason }, value: Number(holds) };
}

function* spendingSamples(file: SweepFile, fold: Fold): Generator<Sample> {
  const { name: sweep } = file.spec;
  for (const group of fold.spending.values()) {
    const { target, monitor = 'none', spending } = group;
    const labels = { sweep, target, monitor };
    const money = cost(spending, ownPricesOf(file, group));
    const ofTarget: Partial<Record<MetricName, number>> = {
      haltline_target_prompt_tokens_total: spending.target.prompt,
      haltline_target_completion_tokens_total: spending.target.completion,
      haltline_target_wasted_tokens_total: spending.target.wasted,
      haltline_target_wasted_prompt_tokens_total: spending.target.wastedPrompt,
      haltline_target_wait_seconds_total: spending.limitWaitMs / 1_000,
      haltline_target_retries_total: spending.retries,
    };
    const ofMonitor: Partial<Record<MetricName, number>> = {
      haltline_monitor_calls_total: spending.monitor.calls,
      haltline_monitor_input_tokens_total: spending.monitor.tokensIn,
      haltline_monitor_output_tokens_total: spending.monitor.tokensOut,
      haltline_monitor_cached_tokens_total: spending.monitor.tokensCached,
    };
    if (money.target) yield* withLabels(labels, ofTarget);
    yield* withLabels(labels, ofMonitor);
    yield* withLabels({ ...labels, on: 'target' }, { haltline_spend_total: money.target?.money });
    yield* withLabels({ ...labels, on: 'monitor' }, { haltline_spend_total: money.monitor.money });
  }
}

/** Of the caps that the spec sets. */
function* capSamples(file: SweepFile, fold: Fold): Generator<Sample> {
  const { name: sweep, limits } = file.spec;
  const spent = spentOf(file, fold.spending.values());
  const caps = [
    ['money', limits.maxCost, spent.money],
    ['tokens', limits.maxTokens, spent.tokens],
    ['runs', limits.maxRuns, spent.runs],
  ] as const;
  for (const [cap, limit, used] of caps) {
    if (limit === undefined) continue;
    yield* withLabels({ sweep, cap }, { haltline_cap_limit: limit, haltline_cap_used: used });
  }
}

function* tallySamples(file: SweepFile, fold: Fold): Generator<Sample> {
  for (const { key, tally } of fold.rows.values()) {
    const labels = rowLabels(file.spec.name, key);
    yield* withLabels(labels, {
      haltline_runs_scored_total: tally.scored,
      haltline_runs_flagged_total: tally.flagged,
      haltline_runs_interrupted_total: tally.interrupted,
    });
    if (areLabelled(file, key.target)) continue;
    yield* withLabels(labels, {
      haltline_runs_wrong_total: tally.wrong,
      haltline_runs_target_hit_total: tally.targetHits,
      haltline_runs_hit_limit_total: tally.hitLimit,
    });
  }
}

function* rowSamples(sweep: string, row: SummaryRow): Generator<Sample> {
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);
  yield* withLabels(rowLabels(sweep, row), {
    haltline_asr_wrong_ratio: row.asrWrong?.value,
    haltline_asr_target_ratio: row.asrTarget?.value,
    haltline_asr_step_ratio: row.asrStep?.value,
    haltline_hit_limit_ratio: row.hitLimit?.value,
    haltline_unanswered_ratio: row.unanswered?.value,
    haltline_refused_ratio: row.refused?.value,
    haltline_filtered_ratio: row.filtered?.value,
    haltline_clean_error_ratio: row.cleanErrorShare?.value,
    haltline_taf_ratio: row.taf?.value,
    haltline_taf_at_flag_ratio: row.tafAtFlag?.value,
    haltline_laf_vs_clean_ratio: row.lafVsClean?.value,
    haltline_laf_guarded_ratio: row.lafGuarded?.value,
    haltline_flagged_ratio: row.flagged?.value,
    haltline_interrupted_ratio: row.interrupted?.value,
    haltline_false_flags_ratio: row.falseFlags?.value,
    haltline_false_interrupts_ratio: row.falseInterrupts?.value,
    haltline_detection_p50_seconds: seconds(row.detection?.ms?.p50),
    haltline_detection_p95_seconds: seconds(row.detection?.ms?.p95),
    haltline_verdict_p50_seconds: seconds(row.detection?.verdictMs?.p50),
    haltline_verdict_p95_seconds: seconds(row.detection?.verdictMs?.p95),
  });
}

type Values = { readonly [Name in MetricName]?: number | undefined };

/** A figure without a value has no sample: missing is not zero. */
function* withLabels(labels: Readonly<Record<string, string>>, values: Values): Generator<Sample> {
  let name: MetricName;
  for (name in values) {
    const value = values[name];
    if (value !== undefined) yield { name, labels, value };
  }
}

interface LabelledRow {
  readonly target: string;
  readonly attack: string;
  readonly dataset: string;
  readonly arm: string;
  readonly monitor?: string | undefined;
}

function rowLabels(sweep: string, { target, attack, dataset, arm, monitor }: LabelledRow) {
  return { sweep, target, attack, dataset, arm, monitor: monitor ?? 'none' };
}
