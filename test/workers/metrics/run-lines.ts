import type { Arm } from '../../../shared/schemas/arm.ts';
import { liveSweepSchema, type LiveSweep } from '../../../shared/schemas/live-sweep.ts';
import type { CaseResult, Flag, RunLine, RunResult } from '../../../shared/schemas/run-result.ts';

export interface LineFields {
  readonly place: number;
  readonly arm?: Arm;
  readonly attack?: string;
  readonly cluster?: number;
  readonly clean?: number;
  readonly attacked?: number;
  readonly monitor?: string;
  readonly cases?: CaseResult[];
  readonly entry?: Partial<CaseResult>;
  readonly result?: Partial<RunResult>;
  readonly tokens?: Partial<RunResult['tokens']>;
  readonly timing?: Partial<RunResult['timing']>;
  readonly flag?: Partial<Flag>;
  readonly line?: Partial<Pick<RunLine, 'chain' | 'reusedFrom' | 'monitorUse'>>;
}

export const sweepId = 'tiny-0123456789ab';

/** A result with plain figures: answered `4`, which is right, 10 tokens of content, 100 ms. */
export function runResult(fields: LineFields): RunResult {
  const { place, arm = 'clean', attack = 'badchain', cluster = 0, monitor } = fields;
  const entry: CaseResult = {
    caseId: `case-${cluster}`,
    attack,
    dataset: 'gsm8k',
    arm,
    cluster,
    ...(fields.clean !== undefined && { clean: fields.clean }),
    ...(fields.attacked !== undefined && { attacked: fields.attacked }),
    ...fields.entry,
  };
  return {
    v: 1,
    sweep: sweepId,
    place,
    runId: `run-${place}`,
    epoch: 1,
    target: 'toy',
    model: 'toy-model',
    questionId: `q-${cluster}`,
    dataset: 'gsm8k',
    repeat: 0,
    cases: fields.cases ?? [entry],
    ...(monitor !== undefined && { monitor, watcher: 'watcher-1' }),
    simulated: true,
    messagesHash: 'h',
    decoding: { maxTokens: 2048 },
    seed: 1,
    outcome: { status: 'answered' },
    extractor: 'number',
    answer: '4',
    gold: '4',
    finishReason: 'stop',
    tokens: { reasoning: 0, answer: 0, content: 10, wasted: 0, ...fields.tokens },
    usage: null,
    steps: 3,
    unjudged: 0,
    superseded: 0,
    ...(fields.flag && {
      flag: {
        stepIndex: 0,
        errorType: '2b',
        channel: 'content',
        when: 'cut',
        tokensAtFlag: 4,
        tokensAfterFlag: 1,
        detectionMs: 20,
        beforeAnswer: true,
        ...fields.flag,
      },
    }),
    timing: {
      startedAtMs: 1_000,
      latencyMs: 100,
      firstTokenMs: 10,
      attachWaitMs: 0,
      limitWaitMs: 0,
      retries: 0,
      gateWaitMs: 5,
      inFlightAtStart: 2,
      crashRestart: false,
      ...fields.timing,
    },
    generator: 'generator-1',
    ...fields.result,
  };
}

export function runLine(fields: LineFields): RunLine {
  return {
    ...runResult(fields),
    monitorUse: { calls: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0 },
    chain: { file: 'chains-000.jsonl.gz', offset: 0, length: 0 },
    ...fields.line,
  };
}

/** Wrong answer of an answered run. */
export const wrong: Partial<RunResult> = { answer: '5' };
export const halted: Partial<RunResult> = {
  outcome: { status: 'halted', reason: 'verdict' },
  finishReason: null,
};
export const monitorError: Partial<RunResult> = { outcome: { status: 'halted', reason: 'monitor_error' } };
export const failed: Partial<RunResult> = { outcome: { status: 'failed', code: 'HTTP_500', message: 'no' } };

export function liveSweep(fields: {
  total: number;
  id?: string;
  attacks?: unknown[];
  reasoning?: 'visible' | 'none' | 'hidden' | 'auto';
  intervention?: 'halt' | 'flag';
}): LiveSweep {
  return liveSweepSchema.parse({
    v: 1,
    id: fields.id ?? sweepId,
    haltline: '0.1.0',
    createdAtMs: 1,
    spec: {
      name: 'tiny',
      targets: [
        {
          id: 'toy',
          config: { apiBaseUrl: 'http://127.0.0.1:1/v1', model: 'toy-model' },
          reasoning: fields.reasoning ?? 'auto',
        },
      ],
      attacks: fields.attacks ?? ['badchain', 'paa', 'overthink', 'deadlock'],
      datasets: ['gsm8k'],
      intervention: fields.intervention ?? 'halt',
    },
    datasets: [],
    total: fields.total,
  });
}
