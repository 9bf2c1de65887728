import { MESSAGE_VERSION } from '../../shared/schemas/job.ts';
import type { RunResult } from '../../shared/schemas/run-result.ts';

/** A result of an unguarded run that was answered, as its generation worker commits it. */
export function buildRunResult(overrides: Partial<RunResult> = {}): RunResult {
  return {
    v: MESSAGE_VERSION,
    sweep: 'sweep-1',
    place: 0,
    runId: 'run-0',
    epoch: 1,
    target: 'sim',
    model: 'sim-reasoner',
    questionId: 'q0',
    dataset: 'arithmetic',
    repeat: 0,
    cases: [{ caseId: 'c0', attack: 'badchain', dataset: 'arithmetic', arm: 'attacked', cluster: 0 }],
    simulated: true,
    messagesHash: 'hash',
    decoding: { maxTokens: 4_000 },
    seed: 0,
    outcome: { status: 'answered' },
    extractor: 'number',
    answer: '42',
    gold: '42',
    finishReason: 'stop',
    tokens: { reasoning: 10, answer: 1, content: 0, wasted: 0 },
    usage: null,
    steps: 1,
    unjudged: 0,
    superseded: 0,
    timing: {
      startedAtMs: 1_000,
      latencyMs: 100,
      firstTokenMs: 10,
      attachWaitMs: 0,
      limitWaitMs: 0,
      retries: 0,
      gateWaitMs: 0,
      inFlightAtStart: 1,
      crashRestart: false,
    },
    generator: 'gen',
    ...overrides,
  };
}
