import type { Worker } from 'bullmq';

/** A closing worker that still has jobs after this long leaves them to stall recovery. */
const MAX_CLOSE_MS = 10_000;
const ABORT_AFTER_MS = 200;

/**
 * Closes BullMQ workers so that no job is run again by the closing process: first no new job is fetched, then the
 * running ones are told to stop (QUEUE.md, section 3, "shutdown": the other order makes the closing worker fetch its
 * own jobs again). Their processors hand them back with `moveToWait`.
 */
export async function closeWorkers(workers: readonly Worker[]): Promise<void> {
  const closed = Promise.all(workers.map((worker) => worker.close()));
  await delay(ABORT_AFTER_MS);
  for (const worker of workers) worker.cancelAllJobs('shutdown');
  const timer = new AbortController();
  const isClosed = await Promise.race([
    closed.then(() => true),
    delay(MAX_CLOSE_MS, timer.signal).then(() => false),
  ]);
  timer.abort();
  if (!isClosed) await Promise.all(workers.map((worker) => worker.close(true)));
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
