import { Presets, SingleBar } from 'cli-progress';
import type { FeedProgress } from '../producers/feed-progress.ts';

export interface ProgressDisplay {
  show(progress: FeedProgress): void;
  stop(): void;
}

const LINE_EVERY_MS = 5_000;

/** A bar on a terminal, else a line every 5 s; both on standard error. */
export function createProgressDisplay({
  isTerminal,
  total,
}: {
  isTerminal: boolean;
  total: number;
}): ProgressDisplay {
  return isTerminal ? createBar(total) : createLines();
}

/** `120 of 480 runs, 24.0 a second, about 15 s left (16 running, 300 waiting, 0 in retry)` */
export function describeProgress(progress: FeedProgress): string {
  const { done, total, waiting, inRetry, active } = progress;
  const rate = describeRate(progress);
  return `${String(done)} of ${String(total)} runs, ${rate} (${String(active)} running, ${String(waiting)} waiting, ${String(inRetry)} in retry)`;
}

function describeRate({ ratePerSecond, etaMs }: FeedProgress): string {
  if (ratePerSecond === undefined || etaMs === undefined) return 'time left unknown';
  return `${ratePerSecond.toFixed(1)} a second, about ${describeDuration(etaMs)} left`;
}

/** In the largest unit that fits, rounded up: `45 s`, `12 min`, `3.2 h`. */
export function describeDuration(ms: number): string {
  if (ms < 90_000) return `${String(Math.ceil(ms / 1_000))} s`;
  if (ms < 90 * 60_000) return `${String(Math.ceil(ms / 60_000))} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}

function createBar(total: number): ProgressDisplay {
  const bar = new SingleBar(
    {
      format: '{bar} {value}/{total} runs, {rate} | {active} running, {waiting} waiting, {inRetry} in retry',
      stream: process.stderr,
      hideCursor: true,
      barsize: 24,
      fps: 4,
    },
    Presets.shades_classic,
  );
  bar.start(total, 0, { rate: 'starting', active: 0, waiting: 0, inRetry: 0 });
  return {
    show: (progress) => bar.update(progress.done, { ...progress, rate: describeRate(progress) }),
    stop: () => bar.stop(),
  };
}

function createLines(): ProgressDisplay {
  let shownAtMs = -Infinity;
  return {
    show: (progress) => {
      if (performance.now() - shownAtMs < LINE_EVERY_MS && progress.done < progress.total) return;
      shownAtMs = performance.now();
      process.stderr.write(`haltline: ${describeProgress(progress)}\n`);
    },
    stop: () => undefined,
  };
}

export interface DownloadDisplay {
  show(received: number, total: number | undefined): void;
  stop(): void;
}

/** A bar on a terminal, else a line every 5 s; both on standard error. */
export function createDownloadDisplay({
  isTerminal,
  name,
}: {
  isTerminal: boolean;
  name: string;
}): DownloadDisplay {
  const startedAtMs = performance.now();
  let shownAtMs = startedAtMs;
  const bar = isTerminal
    ? new SingleBar({ format: `${name} {bar} {text}`, stream: process.stderr }, Presets.shades_classic)
    : undefined;
  bar?.start(1, 0, { text: '' });
  return {
    show: (received, total) => {
      const text = describeDownload(received, total, performance.now() - startedAtMs);
      bar?.update(total === undefined ? 0 : received / total, { text });
      if (bar || performance.now() - shownAtMs < LINE_EVERY_MS) return;
      shownAtMs = performance.now();
      process.stderr.write(`haltline: ${name}: ${text}\n`);
    },
    stop: () => bar?.stop(),
  };
}

/** `3.1 of 10.0 MB, about 12 s left`; without a total, `3.1 MB`. */
export function describeDownload(received: number, total: number | undefined, elapsedMs: number): string {
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  if (total === undefined) return `${megabytes(received)} MB`;
  const leftMs = received === 0 ? undefined : (elapsedMs / received) * (total - received);
  const eta = leftMs === undefined ? '' : `, about ${describeDuration(leftMs)} left`;
  return `${megabytes(received)} of ${megabytes(total)} MB${eta}`;
}
