import { randomUUID } from 'node:crypto';
import type { Job, Queue } from 'bullmq';
import type { Logger } from 'pino';
import { hashJson } from '../shared/hash.ts';
import type { RunStore } from '../shared/redis/run-store.ts';
import type { SweepStore } from '../shared/redis/sweep-store.ts';
import type { LiveSweep } from '../shared/schemas/live-sweep.ts';
import { type GenerationJob, MESSAGE_VERSION } from '../shared/schemas/job.ts';
import type { RunResult } from '../shared/schemas/run-result.ts';
import { placeOfJob } from './feed-lane.ts';
import type { Plan } from './plan-sweep.ts';

const PAGE = 100;
const GENERATOR = 'feeder';

export interface LostJobPorts {
  readonly sweep: LiveSweep;
  readonly plan: Plan;
  readonly store: SweepStore;
  readonly runs: RunStore;
  readonly log: Logger;
}

/**
 * Makes results of the jobs that BullMQ gave up (their workers died again and again, or their payload was unusable):
 * `failed` with the code WORKER_LOST, under an epoch of its own, so that a worker that is still alive after all is
 * refused. Each step can be repeated. Jobs of other sweeps are left alone.
 *
 * @returns how many were settled
 */
export async function settleLostJobs(queue: Queue<GenerationJob>, ports: LostJobPorts): Promise<number> {
  let settled = 0;
  let others = 0;
  for (;;) {
    const jobs = await queue.getFailed(others, others + PAGE - 1);
    for (const job of jobs) {
      const place = placeOfJob(ports.sweep.id, job.id ?? '');
      if (place !== undefined && place < ports.plan.total && (await settle(job, place, ports))) settled += 1;
      else others += 1;
    }
    if (jobs.length < PAGE) return settled;
  }
}

async function settle(job: Job<GenerationJob>, place: number, ports: LostJobPorts): Promise<boolean> {
  const { sweep, plan, store, runs, log } = ports;
  const run = { sweep: sweep.id, place };
  const token = randomUUID();
  const started = await runs.start(run, { token, generator: GENERATOR });
  if ('result' in started) {
    await send(ports, started.result);
  } else if (await store.isDone(sweep.id, place)) {
    await runs.delete(run);
  } else {
    const reason = clip(job.failedReason);
    const result = lostResult(plan.job(place), { sweep, reason, ...started });
    const epoch = { ...run, epoch: started.epoch, token };
    // Unguarded: this epoch has no steps that a verdict could be missing for.
    const refused = await runs.commit(epoch, { mode: 'unguarded', flagged: undefined, result });
    if (refused) return false;
    await send(ports, result);
    log.warn(
      { event: 'run-lost', place, target: result.target, reason },
      'a run is given up: its workers were lost',
    );
  }
  await job.remove();
  return true;
}

async function send({ store, sweep }: LostJobPorts, result: RunResult): Promise<void> {
  const bytes = Buffer.byteLength(JSON.stringify(result));
  await store.send(sweep.id, { place: result.place, epoch: result.epoch, bytes });
}

function clip(reason: string | undefined): string {
  return (reason ?? 'unknown').slice(0, 300);
}

function lostResult(
  job: GenerationJob,
  lost: { sweep: LiveSweep; reason: string; epoch: number; wasted: number },
): RunResult {
  const { spec } = lost.sweep;
  const target = spec.targets.find(({ id }) => id === job.target);
  return {
    v: MESSAGE_VERSION,
    ...{ sweep: job.sweep, place: job.place, runId: job.runId, epoch: lost.epoch },
    ...{ target: job.target, model: target?.config.model ?? '' },
    ...{ questionId: job.questionId, dataset: job.dataset, repeat: job.repeat, cases: job.cases },
    ...(job.guard && {
      monitor: job.guard.monitor,
      monitorVersion: job.guard.version,
      intervention: spec.intervention,
      fail: spec.fail,
    }),
    simulated: false,
    messagesHash: hashJson(job.messages).slice(0, 32),
    ...{ decoding: job.decoding, seed: job.seed },
    outcome: { status: 'failed', code: 'WORKER_LOST', message: lost.reason },
    ...{ extractor: job.extractor, gold: job.gold },
    finishReason: null,
    tokens: { reasoning: 0, answer: 0, content: 0, wasted: lost.wasted },
    usage: null,
    ...{ steps: 0, unjudged: 0, superseded: 0 },
    timing: {
      ...{ startedAtMs: 0, attachWaitMs: 0, limitWaitMs: 0, retries: 0, gateWaitMs: 0, inFlightAtStart: 0 },
      crashRestart: true,
    },
    generator: GENERATOR,
  };
}
