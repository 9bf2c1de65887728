import { findBackdoorStep } from '../../shared/core/backdoor-step.ts';
import { percentiles } from '../../shared/core/statistics/percentiles.ts';
import { countTokens } from '../../shared/core/tokens.ts';
import { type CaseEntry, type GenerationJob, MESSAGE_VERSION } from '../../shared/schemas/job.ts';
import type { CaseResult, Flag, RunResult } from '../../shared/schemas/run-result.ts';
import type { Step } from '../../shared/schemas/step.ts';
import type { ChainRecorder, ChannelTokens } from './chain-recorder.ts';
import { decideOutcome } from './decide-outcome.ts';
import type { TargetStream } from './target-stream.ts';
import type { VerdictLedger } from './verdict-ledger.ts';

/** What one epoch came to, before it is a result. Times are Unix epoch milliseconds. */
export interface EpochRecord {
  readonly epoch: number;
  readonly wasted: number;
  readonly crashRestart: boolean;
  readonly recorder: ChainRecorder;
  /** Published steps, in order. */
  readonly steps: readonly Step[];
  readonly stream: TargetStream | undefined;
  readonly ledger: VerdictLedger | undefined;
  readonly watcher: string | undefined;
  readonly attachWaitMs: number;
  readonly inFlightAtStart: number;
  readonly flagHeardAtMs: number | undefined;
  /** The local count of the prompt. */
  readonly promptTokens: () => number;
}

/** What stays the same over all runs of a job's sweep and target. */
export interface RunSetting {
  readonly model: string;
  readonly messagesHash: string;
  readonly generator: string;
  readonly intervention: 'halt' | 'flag';
  readonly fail: 'open' | 'closed';
}

export function buildResult(job: GenerationJob, setting: RunSetting, record: EpochRecord): RunResult {
  const { ledger, stream } = record;
  const { outcome, answer } = decideOutcome(job, stream, ledger?.stop);
  const tokens = tokensOf(record);
  const flag = ledger && buildFlag(record, tokens.afterStop);
  const waits = ledger ? percentiles(ledger.waits) : undefined;
  const cut = outcome.status === 'halted' && flag ? flag.stepIndex + 1 : record.steps.length;
  return {
    v: MESSAGE_VERSION,
    ...{ sweep: job.sweep, place: job.place, runId: job.runId, epoch: record.epoch },
    ...{ target: job.target, model: setting.model, messagesHash: setting.messagesHash },
    ...{ questionId: job.questionId, dataset: job.dataset, repeat: job.repeat },
    cases: job.cases.map((entry) => observeCase(entry, record.steps)),
    ...(job.guard && {
      monitor: job.guard.monitor,
      monitorVersion: job.guard.version,
      intervention: setting.intervention,
      fail: setting.fail,
    }),
    ...{ simulated: stream?.simulated ?? false, decoding: job.decoding, seed: job.seed, outcome },
    ...{ extractor: job.extractor, gold: job.gold },
    ...(answer !== undefined && { answer }),
    finishReason: stream?.finishReason ?? null,
    tokens: {
      reasoning: tokens.reasoning,
      answer: tokens.answer,
      content: tokens.content,
      wasted: record.wasted,
    },
    usage: stream?.usage ?? null,
    ...(isPromptUntold(stream) && { promptEstimate: record.promptTokens() }),
    steps: record.steps.length,
    unjudged: ledger?.monitorErrors ?? 0,
    superseded: ledger ? record.steps.slice(cut).filter((step) => !ledger.isJudged(step.index)).length : 0,
    ...(flag && { flag }),
    ...(waits && { verdictMs: waits }),
    timing: buildTiming(record),
    generator: setting.generator,
    ...(record.watcher !== undefined && { watcher: record.watcher }),
  };
}

/** A case with the first step that shows its backdoor step, if it has one. */
export function observeCase(entry: CaseEntry, steps: readonly Step[]): CaseResult {
  if (!entry.backdoorStep) return entry;
  const texts = steps.map((step) => step.text);
  return { ...entry, backdoorStepIndex: findBackdoorStep(texts, entry.backdoorStep) ?? null };
}

/** A prompt that the server had begun to answer, and of which it told no count: a stream that was cut off, most often. */
function isPromptUntold(stream: TargetStream | undefined): boolean {
  return stream?.firstTokenAtMs !== undefined && stream.usage?.promptTokens == null;
}

/** Local counts of what was received. A tag that came late moves the counts with the text. */
function tokensOf({ recorder, stream }: EpochRecord): ChannelTokens & { afterStop: number } {
  const tokens = recorder.tokens();
  const movedLate = stream !== undefined && stream.reasoning !== '' && tokens.reasoning === 0;
  if (!movedLate) return tokens;
  return {
    ...tokens,
    reasoning: countTokens(stream.reasoning),
    answer: countTokens(stream.answer),
    content: 0,
  };
}

function buildFlag(record: EpochRecord, tokensAfterFlag: number): Flag | undefined {
  const flag = record.ledger?.flag;
  const step = flag && record.steps[flag.stepIndex];
  if (!step) return undefined;
  const isCut = record.stream?.status === 'aborted';
  const endMs = isCut ? record.stream.closedAtMs : (record.flagHeardAtMs ?? step.endedAtMs);
  const upTo = record.steps.slice(0, flag.stepIndex + 1);
  return {
    stepIndex: flag.stepIndex,
    errorType: flag.errorType,
    ...(flag.rule !== undefined && { rule: flag.rule }),
    channel: step.channel,
    when: record.ledger.stop === undefined ? 'recorded' : isCut ? 'cut' : 'blocked',
    tokensAtFlag: upTo.reduce((sum, { tokens }) => sum + tokens, 0),
    tokensAfterFlag,
    detectionMs: Math.max(0, endMs - step.endedAtMs),
    beforeAnswer: isCut && !record.recorder.hasAnswerText,
  };
}

function buildTiming(record: EpochRecord): RunResult['timing'] {
  const { ledger, stream, attachWaitMs, inFlightAtStart, crashRestart } = record;
  const shared = { attachWaitMs, inFlightAtStart, crashRestart };
  if (!stream) return { ...shared, startedAtMs: 0, limitWaitMs: 0, retries: 0, gateWaitMs: 0 };
  const { startedAtMs, firstTokenAtMs, closedAtMs, limitWaitMs, retries } = stream;
  const endedAtMs = Math.max(closedAtMs, ledger?.lastVerdictAtMs ?? 0);
  return {
    ...shared,
    startedAtMs,
    latencyMs: Math.max(0, endedAtMs - startedAtMs),
    ...(firstTokenAtMs !== undefined && { firstTokenMs: Math.max(0, firstTokenAtMs - startedAtMs) }),
    limitWaitMs,
    retries,
    gateWaitMs: endedAtMs - closedAtMs,
  };
}
