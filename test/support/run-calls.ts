import type { EpochRef, Refused, RunStore } from '../../shared/redis/run-store.ts';
import type { RunResult } from '../../shared/schemas/run-result.ts';
import type { Step } from '../../shared/schemas/step.ts';
import type { Verdict } from '../../shared/schemas/verdict.ts';
import { buildRunResult } from './run-result.ts';

// No test runner in here: processes that tests start use it too.

const unsafeVerdict: Verdict = {
  status: 'judged',
  stepIndex: 0,
  errorDetected: true,
  errorType: '3a',
  confidence: 1,
  errorLocation: '',
  errorExplanation: '',
  durationMs: 0,
};
const missingVerdict: Verdict = { status: 'monitor_error', stepIndex: 0, reason: 'timeout', durationMs: 0 };

export function buildStep(index: number, overrides: Partial<Step> = {}): Step {
  return { index, channel: 'reasoning', text: `Step ${index}.`, tokens: 10, endedAtMs: 1_000, ...overrides };
}

export function buildSteps(count: number): Step[] {
  return Array.from({ length: count }, (_, index) => buildStep(index));
}

export function resultOf(epoch: EpochRef): RunResult {
  return buildRunResult({ sweep: epoch.sweep, place: epoch.place, epoch: epoch.epoch });
}

/** Every call that names an epoch, as its worker makes it. */
export const calls: Readonly<
  Record<string, (store: RunStore, epoch: EpochRef) => Promise<Refused | object | undefined>>
> = {
  watch: (store, epoch) => store.watch(epoch, 'watcher-1'),
  publish: (store, epoch) => store.publish(epoch, [buildStep(0)]),
  end: (store, epoch) => store.end(epoch, 0),
  'verdict of its watcher': (store, epoch) =>
    store.issueVerdicts(epoch, { watcher: 'watcher-1' }, [unsafeVerdict]),
  'verdict of its generator': (store, epoch) => store.issueVerdicts(epoch, 'generator', [missingVerdict]),
  commit: (store, epoch) =>
    store.commit(epoch, { mode: 'unguarded', flagged: undefined, result: resultOf(epoch) }),
  look: (store, epoch) => store.look(epoch, { fromStep: 0, maxSteps: 10, verdictsOf: [0] }),
};
