import { randomUUID } from 'node:crypto';
import type { SweepStore } from '../../shared/redis/sweep-store.ts';
import type { EpochRef } from '../../shared/redis/run-store.ts';
import { SHUTDOWN } from '../../shared/redis/worker-shutdown.ts';
import type { GenerationJob } from '../../shared/schemas/job.ts';
import type { RunResult } from '../../shared/schemas/run-result.ts';
import { type EpochContext, type EpochEnd, RunEpoch } from './run-epoch.ts';

/** Refusals in a row after which the job is handed back to the queue: something is odd, and time may heal it. */
const MAX_REFUSALS = 5;

export interface RunContext extends EpochContext {
  readonly sweeps: SweepStore;
  readonly maxEpochs: number;
  /** Whether this worker still holds the run's job: refused without it, it is a zombie. */
  readonly holdsJob: () => Promise<boolean>;
  /** The result is on its way to disk, with so many committed bytes of the sweep in all. */
  readonly onSent: (backlogBytes: number) => void;
  /** Reserves again what the run may come to: what earlier epochs have wasted, prompts included, comes on top. */
  readonly reserve: (earlier: { epochs: number; tokens: number }) => Promise<void>;
}

export type RunEnd =
  /** The result stands, and its entry is in the results stream. */
  | { readonly type: 'sent' }
  /** The run is on disk already. */
  | { readonly type: 'on-disk' }
  /** The worker's signal was aborted; `tokens` were received in all epochs. */
  | { readonly type: 'stopped'; readonly tokens: number }
  /** Another worker has the run. */
  | { readonly type: 'zombie' };

/**
 * One run, start to end: starts epochs until one is committed, then tells the metrics worker. May be called again for
 * the same run at any point of an earlier call's life.
 */
export async function generateRun(job: GenerationJob, context: RunContext): Promise<RunEnd> {
  let wasted: number | undefined;
  let broken = 0;
  let refusals = 0;
  for (;;) {
    const token = randomUUID();
    const start = await context.store.start(job, {
      token,
      generator: context.setting.generator,
      ...(job.guard && { problem: job.guard.problem }),
      ...(wasted !== undefined && { wasted }),
    });
    if ('result' in start) return send(start.result, context);
    if (await context.sweeps.isDone(job.sweep, job.place)) {
      await context.store.delete(job);
      return { type: 'on-disk' };
    }
    if (start.epoch > 1) await context.reserve({ epochs: start.epoch - 1, tokens: start.wasted });
    const ref = { sweep: job.sweep, place: job.place, epoch: start.epoch, token };
    const mayRetry = broken + 1 < context.maxEpochs;
    const options = { wasted: start.wasted, crashRestart: start.crashed, mayRetry };
    const end = await new RunEpoch(job, ref, context, options).run();
    if (end.type === 'committed') return send(end.result, context);
    if (end.type === 'stopped') {
      if (context.signal.reason === SHUTDOWN) await handOver(ref, end.tokens, context);
      return { type: 'stopped', tokens: start.wasted + end.tokens };
    }
    wasted = end.tokens;
    if (end.type === 'broken') broken += 1;
    else if (!(await mayStartAgain(end, (refusals += 1), context))) return { type: 'zombie' };
    context.log.info({ event: 'epoch-abandoned', epoch: start.epoch, end: end.type }, 'the run starts anew');
  }
}

/** Without it the next worker starts the run all the same, and takes this one for dead. */
async function handOver(epoch: EpochRef, tokens: number, { store, log }: RunContext): Promise<void> {
  await store.handOver(epoch, tokens).catch((err: unknown) => {
    log.warn({ event: 'hand-over-failed', err }, 'the run counts as restarted after a crash');
  });
}

async function mayStartAgain(
  end: EpochEnd & { type: 'refused' },
  refusals: number,
  context: RunContext,
): Promise<boolean> {
  if (!(await context.holdsJob())) {
    context.log.warn({ event: 'zombie-refused', why: end.why }, 'another worker has this run');
    return false;
  }
  if (refusals >= MAX_REFUSALS)
    throw new Error(`refused ${refusals} times in a row, the last time as ${end.why}`);
  return true;
}

async function send(result: RunResult, context: RunContext): Promise<RunEnd> {
  const { sweep, place, epoch } = result;
  context.onSent(await context.sweeps.send(sweep, { place, epoch, bytes: bytesInRedis(result) }));
  return { type: 'sent' };
}

/** About what a step and its verdict take beside the step's text. */
const BYTES_A_STEP = 500;
const BYTES_A_TOKEN = 5;

/** An estimate of what stands in Redis of a committed run, its chain included, from the result alone. */
function bytesInRedis(result: RunResult): number {
  const { reasoning, answer, content } = result.tokens;
  const text = (reasoning + answer + content) * BYTES_A_TOKEN;
  return Buffer.byteLength(JSON.stringify(result)) + text + result.steps * BYTES_A_STEP;
}
