/** A stream whose tokens fall due at times. */
export interface PacedStream {
  /** When the next token is due, on the pacer's clock; Infinity while none is. */
  dueAtMs: number;
  /** Writes what is due next and moves `dueAtMs` on. */
  writeDue(): void;
}

export interface Pacer {
  readonly nowMs: () => number;
  add(stream: PacedStream): void;
  remove(stream: PacedStream): void;
  close(): void;
}

const TICK_MS = 5;
/** A stream that has fallen behind catches up in portions, so that it does not hold up the others. */
const MOST_A_TICK = 64;

/** One timer for all streams: a timer a token would cost more than the tokens. It runs only while streams are open. */
export function createPacer(nowMs: () => number = () => performance.now()): Pacer {
  const streams = new Set<PacedStream>();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const tick = (): void => {
    const now = nowMs();
    for (const stream of streams) {
      for (let count = 0; count < MOST_A_TICK && stream.dueAtMs <= now; count += 1) stream.writeDue();
    }
  };
  return {
    nowMs,
    add: (stream) => {
      streams.add(stream);
      timer ??= setInterval(tick, TICK_MS);
    },
    remove: (stream) => {
      streams.delete(stream);
      if (streams.size === 0) stop();
    },
    close: () => {
      streams.clear();
      stop();
    },
  };
}
