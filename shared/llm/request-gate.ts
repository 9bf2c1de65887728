/** What a request may be about to use. Tokens: prompt and completion together, at most; counted where there is a limit. */
export interface RequestSize {
  readonly tokens: () => number;
}

/** A request that may be sent now. */
export interface Admission {
  /** The server has begun to answer, so the request has reached it: its window starts no later than now. */
  arrived(): void;
  /** The request is over. @param tokens - what it used in truth; left out: what was reserved */
  leave(tokens?: number): void;
}

/** Where every request to a model waits until the model can take it, over all processes. */
export interface RequestGate {
  /** Whether tokens are limited here: without, nobody needs to count them. */
  readonly countsTokens: boolean;
  /** Waits for as long as it takes; undefined when the signal came first. */
  enter(size: RequestSize, signal: AbortSignal): Promise<Admission | undefined>;
  /** The model asks to be left alone for so long: nobody enters before that, in any process. */
  pause(ms: number): Promise<void>;
  /** A request failed, and is sent again after so long: counted. */
  retried(waitMs: number): void;
}

/** Holds nobody back. */
export const openGate: RequestGate = {
  countsTokens: false,
  enter: (_size, signal) => Promise.resolve(signal.aborted ? undefined : admitted),
  pause: () => Promise.resolve(),
  retried: () => undefined,
};

/** Of a request that counts nowhere: nobody is told that it arrived or is over. */
export const admitted: Admission = { arrived: () => undefined, leave: () => undefined };
