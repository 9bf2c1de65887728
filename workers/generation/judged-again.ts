import { percentiles } from '../../shared/core/statistics/percentiles.ts';
import { type GenerationJob, MESSAGE_VERSION, type RecordedChain } from '../../shared/schemas/job.ts';
import type { RecordedRun } from '../../shared/schemas/run-outcome.ts';
import type { Flag, RunResult } from '../../shared/schemas/run-result.ts';
import type { Step } from '../../shared/schemas/step.ts';
import { observeCase, type RunSetting } from './build-result.ts';
import { type Judging, type SimulatedEnd, simulateEnd } from './simulate-end.ts';
import type { VerdictLedger } from './verdict-ledger.ts';

/** What an epoch over a recorded chain came to. */
export interface JudgedAgain {
  readonly epoch: number;
  /** None in the arms without a monitor. */
  readonly ledger: VerdictLedger | undefined;
  readonly watcher: string | undefined;
  readonly attachWaitMs: number;
}

/**
 * The result of a chain that is judged again. Without a monitor it is the recorded one. With one it is what the
 * verdicts, each ready when it would have been, had made of the recorded run: no text was asked for, so tokens at a cut
 * are an upper bound, and the latency is simulated and stands apart.
 */
export function buildJudgedAgain(
  job: GenerationJob,
  setting: RunSetting,
  { chain, run }: RecordedChain,
  record: JudgedAgain,
): RunResult {
  const { sweep, ...recorded } = run;
  const asked = {
    v: MESSAGE_VERSION,
    ...{ sweep: job.sweep, place: job.place, runId: job.runId, target: job.target, model: setting.model },
    ...{ questionId: job.questionId, dataset: job.dataset, repeat: job.repeat, seed: job.seed },
    ...{ decoding: job.decoding, extractor: job.extractor, gold: job.gold, generator: setting.generator },
  } as const;
  const { ledger } = record;
  if (!ledger) {
    return {
      ...recorded,
      ...asked,
      epoch: record.epoch,
      cases: job.cases.map((entry) => observeCase(entry, chain)),
      ...{ steps: chain.length, unjudged: 0, superseded: 0 },
      replayed: { sweep, epoch: run.epoch },
    };
  }
  const end = simulateEnd({
    ...{ chain, judgings: ledger.judgings, stop: ledger.stop, flagged: ledger.flagged },
    closedAtMs: closedAtMs(run, chain),
  });
  const flag = buildFlag(chain, ledger, end);
  const waits = percentiles(judgedTimes(ledger.judgings));
  return {
    ...asked,
    epoch: record.epoch,
    ...{ simulated: run.simulated, messagesHash: run.messagesHash },
    ...outcomeOf(run, ledger.stop),
    ...receivedOf(run, chain, end),
    cases: job.cases.map((entry) => observeCase(entry, chain.slice(0, end.published))),
    ...(job.guard && { monitor: job.guard.monitor, monitorVersion: job.guard.version }),
    ...{ intervention: setting.intervention, fail: setting.fail },
    steps: end.published,
    unjudged: ledger.monitorErrors,
    superseded: supersededSteps(ledger, end.published),
    ...(flag && { flag }),
    ...(waits && { verdictMs: waits }),
    timing: timingOf(run, record, end),
    replayed: { sweep, epoch: run.epoch, latencyMs: Math.max(0, end.endedAtMs - run.timing.startedAtMs) },
    ...(record.watcher !== undefined && { watcher: record.watcher }),
  };
}

/** A run without a monitor ends with its stream. */
function closedAtMs({ timing }: RecordedRun, chain: readonly Step[]): number {
  const { startedAtMs, latencyMs } = timing;
  return latencyMs === undefined ? (chain.at(-1)?.endedAtMs ?? startedAtMs) : startedAtMs + latencyMs;
}

function outcomeOf(run: RecordedRun, stop: VerdictLedger['stop']): Pick<RunResult, 'outcome' | 'answer'> {
  if (stop !== undefined) return { outcome: { status: 'halted', reason: stop } };
  return { outcome: run.outcome, ...(run.answer !== undefined && { answer: run.answer }) };
}

/** A cut stream tells neither why it ended nor its usage; its prompt was read all the same. */
function receivedOf(
  run: RecordedRun,
  chain: readonly Step[],
  { isCut, received }: SimulatedEnd,
): Pick<RunResult, 'finishReason' | 'tokens' | 'usage' | 'promptEstimate'> {
  const prompt = run.usage?.promptTokens ?? run.promptEstimate;
  if (!isCut) {
    const { finishReason, usage, promptEstimate } = run;
    const tokens = { ...run.tokens, wasted: 0 };
    return { finishReason, usage, tokens, ...(promptEstimate !== undefined && { promptEstimate }) };
  }
  const tokens = { reasoning: 0, answer: 0, content: 0, wasted: 0 };
  for (const step of chain.slice(0, received)) tokens[step.channel] += step.tokens;
  return { finishReason: null, usage: null, tokens, ...(prompt !== undefined && { promptEstimate: prompt }) };
}

function buildFlag(chain: readonly Step[], ledger: VerdictLedger, end: SimulatedEnd): Flag | undefined {
  const { flag, stop } = ledger;
  const step = flag && chain[flag.stepIndex];
  if (!step) return undefined;
  const upTo = chain.slice(0, flag.stepIndex + 1);
  const heardAtMs = end.isCut ? end.closedAtMs : step.endedAtMs + flag.durationMs;
  return {
    stepIndex: flag.stepIndex,
    errorType: flag.errorType,
    ...(flag.rule !== undefined && { rule: flag.rule }),
    channel: step.channel,
    when: stop === undefined ? 'recorded' : end.isCut ? 'cut' : 'blocked',
    tokensAtFlag: upTo.reduce((sum, { tokens }) => sum + tokens, 0),
    // Not to be known: figures leave it out.
    tokensAfterFlag: 0,
    detectionMs: Math.max(0, heardAtMs - step.endedAtMs),
    beforeAnswer: end.isCut && chain.slice(0, end.received).every(({ channel }) => channel !== 'answer'),
  };
}

function judgedTimes(judgings: ReadonlyMap<number, Judging>): number[] {
  return [...judgings.values()].flatMap(({ kind, durationMs }) =>
    kind === 'monitor_error' ? [] : [durationMs],
  );
}

function supersededSteps(ledger: VerdictLedger, published: number): number {
  const from = ledger.stop === undefined ? published : (ledger.flagged ?? published) + 1;
  let superseded = 0;
  for (let index = from; index < published; index += 1) if (!ledger.isJudged(index)) superseded += 1;
  return superseded;
}

/** As recorded, but for what the monitor decides. A simulated latency never stands where a measured one does. */
function timingOf(
  { timing }: RecordedRun,
  { attachWaitMs }: JudgedAgain,
  end: SimulatedEnd,
): RunResult['timing'] {
  const { startedAtMs, firstTokenMs, limitWaitMs, retries, inFlightAtStart, crashRestart } = timing;
  return {
    ...{ startedAtMs, limitWaitMs, retries, inFlightAtStart, crashRestart, attachWaitMs },
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    gateWaitMs: end.endedAtMs - end.closedAtMs,
  };
}
