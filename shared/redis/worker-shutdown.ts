import type { Worker } from 'bullmq';

/** A closing worker that still has jobs after this long leaves them to stall recovery. */
const MAX_CLOSE_MS = 10_000;
const ABORT_AFTER_MS = 200;
/** Why a job's signal was aborted, when its worker closes. */
export const SHUTDOWN = 'shutdown';

/**
 * Closes BullMQ workers so that no job is run again by the closing process: first no new job is fetched, then the
 * running ones are told to stop (QUEUE.md, section 3, "shutdown": the other order makes the closing worker fetch its
 * own jobs again). Their processors hand them back with `moveToWait`.
 *
 * @param options.maxMs - how long to wait for processors that do not heed their signal. The caller disconnects the
 *   workers' connection afterwards: that ends the renewing of their locks, and another worker takes the jobs over.
 */
export async function closeWorkers(
  workers: readonly Worker[],
  options: { maxMs?: number } = {},
): Promise<void> {
  const closed = Promise.allSettled(workers.map((worker) => worker.close()));
  await delay(ABORT_AFTER_MS);
  for (const worker of workers) worker.cancelAllJobs(SHUTDOWN);
  // No `close(true)` after it: BullMQ answers with the close that is under way already, however long that takes.
  const timer = new AbortController();
  await Promise.race([closed, delay(options.maxMs ?? MAX_CLOSE_MS, timer.signal)]);
  timer.abort();
}

async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
