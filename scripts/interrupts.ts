/** How the shell names a process that Ctrl-C ended. */
export const INTERRUPTED = 130;

export interface Interrupts {
  /** Aborted by the first Ctrl-C (or SIGTERM). */
  readonly signal: AbortSignal;
  /** Replaces what a second one does before the process leaves at once. */
  onSecond: () => void;
  dispose(): void;
}

/** The first Ctrl-C asks for a clean stop, the second leaves at once. */
export function catchInterrupts(): Interrupts {
  const controller = new AbortController();
  const interrupts: Interrupts = {
    signal: controller.signal,
    onSecond: () => undefined,
    dispose: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
  const onSignal = (): void => {
    if (!controller.signal.aborted) {
      controller.abort();
      return;
    }
    interrupts.onSecond();
    process.exit(INTERRUPTED);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return interrupts;
}
