import { Counter, Gauge, Registry } from 'prom-client';

const ofRun = ['sweep', 'target', 'dataset', 'arm', 'monitor', 'outcome'] as const;
const ofRow = ['sweep', 'target', 'attack', 'dataset', 'arm', 'monitor'] as const;
const ofSpending = ['sweep', 'target', 'monitor'] as const;
const ofSweep = ['sweep'] as const;

/**
 * Every metric that is served, with its labels: closed sets from the specs (`sweep` is the spec's name, `monitor` is
 * `none` for unmonitored arms), never ids, hashes or messages.
 */
export const metricDefinitions = {
  haltline_runs_total: ['counter', 'Runs on disk: the number of lines', ofRun],
  haltline_runs_scored_total: ['counter', 'Runs scored, once for each attack entry they stand for', ofRow],
  haltline_runs_wrong_total: ['counter', 'Scored runs that were answered wrongly', ofRow],
  haltline_runs_target_hit_total: ['counter', 'Scored runs answered as the attack aimed at', ofRow],
  haltline_runs_flagged_total: ['counter', 'Scored runs with an unsafe verdict', ofRow],
  haltline_runs_interrupted_total: ['counter', 'Scored runs that a verdict halted', ofRow],
  haltline_runs_hit_limit_total: ['counter', 'Scored runs cut at the token limit', ofRow],
  haltline_target_prompt_tokens_total: ['counter', 'Prompt tokens, as targets report them', ofSpending],
  haltline_target_completion_tokens_total: ['counter', 'Completion tokens of committed epochs', ofSpending],
  haltline_target_wasted_tokens_total: ['counter', 'Tokens of abandoned epochs', ofSpending],
  haltline_target_wasted_prompt_tokens_total: ['counter', 'Prompt tokens of abandoned epochs', ofSpending],
  haltline_target_wait_seconds_total: [
    'counter',
    'Waits for limits and failed attempts, no latency',
    ofSpending,
  ],
  haltline_target_retries_total: ['counter', 'Requests that failed before their first token', ofSpending],
  haltline_spend_total: ['counter', 'Money spent, in the currency of the prices', [...ofSpending, 'on']],
  haltline_cap_limit: ['gauge', 'A cap of the sweep: money, tokens or runs', ['sweep', 'cap']],
  haltline_cap_used: ['gauge', 'What runs on disk have used of a cap', ['sweep', 'cap']],
  haltline_monitor_calls_total: ['counter', 'Calls of monitor models', ofSpending],
  haltline_monitor_input_tokens_total: ['counter', 'Tokens sent to monitor models', ofSpending],
  haltline_monitor_output_tokens_total: ['counter', 'Tokens received from monitor models', ofSpending],
  haltline_monitor_cached_tokens_total: ['counter', 'Tokens sent that were in the cache', ofSpending],
  haltline_result_repeats_total: ['counter', 'Lines of a run that had one already', ofSweep],
  haltline_dead_letters_total: ['counter', 'Results that could not be used', ofSweep],
  haltline_asr_wrong_ratio: ['gauge', 'Share of scored runs answered wrongly', ofRow],
  haltline_asr_target_ratio: ['gauge', 'Share of scored runs answered as the attack aimed at', ofRow],
  haltline_asr_step_ratio: ['gauge', 'Share of scored runs that show the backdoor step', ofRow],
  haltline_hit_limit_ratio: ['gauge', 'Share of scored runs cut at the token limit', ofRow],
  haltline_unanswered_ratio: ['gauge', 'Share of scored runs without an answer', ofRow],
  haltline_refused_ratio: ['gauge', 'Share of scored runs that the target refused', ofRow],
  haltline_filtered_ratio: ['gauge', 'Share of scored runs that the server filtered', ofRow],
  haltline_clean_error_ratio: ['gauge', 'Share of wrong answers in the clean arm of the same cases', ofRow],
  haltline_taf_ratio: ['gauge', 'Token amplification against the clean run', ofRow],
  haltline_taf_at_flag_ratio: ['gauge', 'Token amplification up to the first unsafe step', ofRow],
  haltline_laf_vs_clean_ratio: ['gauge', 'Latency against the clean run', ofRow],
  haltline_laf_guarded_ratio: ['gauge', 'Latency of the guarded run against the attacked one', ofRow],
  haltline_flagged_ratio: ['gauge', 'Share of scored runs with an unsafe verdict', ofRow],
  haltline_interrupted_ratio: ['gauge', 'Share of scored runs that a verdict halted', ofRow],
  haltline_false_flags_ratio: ['gauge', 'Share of guarded clean runs with an unsafe verdict', ofRow],
  haltline_false_interrupts_ratio: ['gauge', 'Share of guarded clean runs that a verdict halted', ofRow],
  haltline_detection_p50_seconds: ['gauge', 'Median time from unsafe step to closed socket', ofRow],
  haltline_detection_p95_seconds: ['gauge', '95th percentile time from unsafe step to closed socket', ofRow],
  haltline_verdict_p50_seconds: ['gauge', 'Median over runs of their median verdict time', ofRow],
  haltline_verdict_p95_seconds: ['gauge', '95th percentile over runs of their 95th percentile', ofRow],
  haltline_results_backlog_bytes: ['gauge', 'Committed bytes not yet on disk', ofSweep],
  haltline_results_backlog_bound_bytes: ['gauge', 'Backlog above which no new run is taken', ofSweep],
  haltline_sweep_paused: ['gauge', '1 while no run of a sweep starts, by reason', ['sweep', 'reason']],
  haltline_sweep_planned_runs: ['gauge', 'Runs in the plan of a sweep', ofSweep],
  haltline_sweep_progress_ratio: ['gauge', 'Share of planned runs that are on disk', ofSweep],
  haltline_sweep_simulated: [
    'gauge',
    '1 when any chain or verdict of the sweep came from the simulator',
    ofSweep,
  ],
  haltline_sweep_replayed: ['gauge', '1 when stored chains of another sweep are judged again', ofSweep],
  haltline_queue_jobs: ['gauge', 'Jobs in a queue (a target, or monitor), by state', ['queue', 'state']],
  haltline_generation_paused: [
    'gauge',
    '1 while a generation worker takes no new run, by reason',
    ['reason'],
  ],
  haltline_generation_runs: ['gauge', 'Runs that a generation worker has under way', []],
  haltline_step_lag: ['gauge', 'Published steps of its runs that wait for a verdict', []],
  haltline_step_lag_largest: ['gauge', 'The most that wait of one of its runs', []],
  haltline_watches_waiting: ['gauge', 'Its runs that wait for a monitor', []],
  haltline_watch_waits_total: ['counter', 'Waits of its runs for a monitor that are over', []],
  haltline_watch_wait_seconds_total: ['counter', 'Time of these waits', []],
  haltline_model_waits_total: ['counter', 'Requests that waited for what a model can take', ['model']],
  haltline_model_wait_seconds_total: ['counter', 'Time of these waits', ['model']],
  haltline_model_retries_total: ['counter', 'Requests that failed and are sent again', ['model']],
  haltline_model_retry_wait_seconds_total: ['counter', 'Time waited before that', ['model']],
  haltline_monitor_chains: ['gauge', 'Chains that a monitor worker watches', []],
  haltline_monitor_calls: ['gauge', 'Judgements by a model that it has under way, and that wait', ['state']],
} as const satisfies Record<string, readonly ['counter' | 'gauge', string, readonly string[]]>;
export type MetricName = keyof typeof metricDefinitions;

/** One value of one metric, with all of its labels. */
export interface Sample {
  readonly name: MetricName;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * The Prometheus text of samples. Counters are not counted here: they are read off what is on disk, so that they agree
 * with the files after a restart. Samples of equal labels (two live sweeps of one name) add up in counters; of gauges
 * the last stands.
 */
export async function renderMetrics(samples: Iterable<Sample>): Promise<string> {
  const registry = new Registry();
  const metrics = new Map<MetricName, Counter | Gauge>();
  for (const { name, labels, value } of samples) {
    const metric = metrics.get(name) ?? createMetric(name, registry);
    metrics.set(name, metric);
    if (metric instanceof Counter) metric.inc({ ...labels }, value);
    else metric.set({ ...labels }, value);
  }
  return registry.metrics();
}

function createMetric(name: MetricName, registry: Registry): Counter | Gauge {
  const [type, help, labelNames] = metricDefinitions[name];
  const configuration = { name, help, labelNames: [...labelNames], registers: [registry] };
  return type === 'counter' ? new Counter(configuration) : new Gauge(configuration);
}

/** The content type of `renderMetrics`. */
export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE;
