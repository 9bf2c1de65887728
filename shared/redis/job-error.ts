import { DelayedError, type Job, UnrecoverableError } from 'bullmq';
import type { RedisClient } from './connection.ts';
import type { Logger } from 'pino';
import { z } from 'zod';
import { HaltlineError } from '../errors.ts';
import { MESSAGE_VERSION } from '../schemas/job.ts';
import { DeadLetters } from './dead-letters.ts';
import type { Keys } from './keys.ts';

/** How long a job of a newer version waits for a newer worker. */
const NEWER_DELAY_MS = 5_000;
const WARN_EVERY_MS = 60_000;

const versionSchema = z.object({ v: z.int() });
const sweepSchema = z.object({ sweep: z.string() });
let warnedAtMs = -Infinity;

/**
 * A job's data, typed.
 *
 * @throws HaltlineError `PAYLOAD_NEWER` when a newer version wrote it, else `PAYLOAD_INVALID` with where and why
 */
export function parseJob<Schema extends z.ZodType>(schema: Schema, job: Job<unknown>): z.infer<Schema> {
  const version = versionSchema.safeParse(job.data);
  if (version.success && version.data.v > MESSAGE_VERSION) {
    throw new HaltlineError('PAYLOAD_NEWER', `job ${job.id ?? '?'} has version ${version.data.v}`, {
      retryable: true,
    });
  }
  const parsed = schema.safeParse(job.data);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join('.') ?? '';
  throw new HaltlineError(
    'PAYLOAD_INVALID',
    `job ${job.id ?? '?'} at ${where}: ${issue?.message ?? 'does not fit'}`,
  );
}

/**
 * Runs a job's work and tells BullMQ what its errors mean: what does not fit its schema is put aside and never tried
 * again; what a newer version wrote is left for a newer worker, without using an attempt; all else is tried again.
 */
export async function withJobErrors(
  context: { job: Job<unknown>; token: string; redis: RedisClient; keys: Keys; log: Logger },
  work: () => Promise<void>,
): Promise<void> {
  const { job, token, redis, keys, log } = context;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof HaltlineError)) throw error;
    if (error.code === 'PAYLOAD_NEWER') {
      if (Date.now() - warnedAtMs > WARN_EVERY_MS) {
        warnedAtMs = Date.now();
        log.warn({ event: 'job-newer', job: job.id, err: error }, 'a job waits for a newer worker');
      }
      await job.moveToDelayed(Date.now() + NEWER_DELAY_MS, token);
      throw new DelayedError();
    }
    if (error.code === 'PAYLOAD_INVALID') {
      await new DeadLetters(redis, keys).add({
        source: job.queueName,
        sweep: sweepSchema.safeParse(job.data).data?.sweep ?? '',
        reason: error.message,
        payload: JSON.stringify(job.data),
      });
      throw new UnrecoverableError(error.message);
    }
    throw error;
  }
}
