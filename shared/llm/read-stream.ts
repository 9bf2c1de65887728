import type { Readable } from 'node:stream';
import { isUndecodable } from './decompress-body.ts';
import type { NodeResponse } from './node-fetch.ts';
import type { StreamDelta } from './split-text.ts';
import { StreamDecoder, type DecodedReply, type DecoderOptions } from './stream-decoder.ts';
import type { BodyEnd } from './stream-status.ts';
import type { StreamStop } from './stream-stop.ts';
import { wallClockMs } from './wall-clock.ts';

export interface StreamHandlers {
  /**
   * Each piece of text, synchronously, as it arrives. `content` may later turn out to be reasoning (or the reverse);
   * what was delivered stays as it was, and the result has the truth. Text that had been received when an abort came
   * is still delivered.
   */
  onDelta(delta: StreamDelta): void;
  /** The server began to answer, with text or not. */
  onFirstPayload?(): void;
}

/** Unix epoch milliseconds, with fractions; null: it never came. */
export interface ReadTimes {
  readonly firstPayloadAtMs: number | null;
  readonly firstDeltaAtMs: number | null;
  readonly closedAtMs: number;
}

/** A server that sent `[DONE]` gets this long to end the body, so that its connection can be used again. */
const LINGER_MS = 100;

/**
 * Reads one response to its end: until its body ends, nothing that follows counts, or `stop` fires (which closes the
 * socket at once). Rejects only with what a handler threw.
 */
export function readStream(
  response: NodeResponse,
  options: Omit<DecoderOptions, 'status' | 'headers'>,
  handlers: StreamHandlers,
  stop: StreamStop,
): Promise<DecodedReply & ReadTimes> {
  return new Promise((resolve, reject) => {
    new BodyReader(response, options, handlers, stop, { resolve, reject }).start();
  });
}

interface Settle {
  readonly resolve: (result: DecodedReply & ReadTimes) => void;
  readonly reject: (reason: unknown) => void;
}

/** `reading`, then `settled` for good. While `isPushing`, an end that comes from inside a handler waits its turn. */
class BodyReader {
  private readonly body: Readable;
  private readonly decoder: StreamDecoder;
  private readonly handlers: StreamHandlers;
  private readonly stop: StreamStop;
  private readonly settle: Settle;
  private state: 'reading' | 'settled' = 'reading';
  private isPushing = false;
  private payloadCount = 0;
  private firstPayloadAtMs: number | null = null;
  private firstDeltaAtMs: number | null = null;

  constructor(
    response: NodeResponse,
    options: Omit<DecoderOptions, 'status' | 'headers'>,
    handlers: StreamHandlers,
    stop: StreamStop,
    settle: Settle,
  ) {
    const { status, headers, body } = response;
    this.body = body;
    this.handlers = handlers;
    this.stop = stop;
    this.settle = settle;
    this.decoder = new StreamDecoder({ ...options, status, headers }, this.onDelta);
  }

  start(): void {
    this.stop.signal.addEventListener('abort', this.onStop);
    this.body.on('data', this.onBytes);
    this.body.once('end', () => this.finish('clean'));
    this.body.on('error', (error) => this.finish(isUndecodable(error) ? 'undecodable' : 'reset'));
    this.body.once('close', () => this.finish('reset'));
    if (this.stop.signal.aborted) this.onStop();
  }

  private readonly onDelta = (delta: StreamDelta): void => {
    if (this.firstDeltaAtMs === null) {
      this.noteFirstPayload();
      this.firstDeltaAtMs = wallClockMs();
    }
    this.handlers.onDelta(delta);
  };

  private readonly onStop = (): void => {
    this.body.destroy();
    this.finish(this.stop.reason ?? 'reset');
  };

  private readonly onBytes = (bytes: Buffer): void => {
    this.isPushing = true;
    try {
      this.decoder.push(bytes);
      if (this.decoder.payloadCount !== this.payloadCount) this.noteProgress();
    } catch (error) {
      this.crash(error);
    } finally {
      this.isPushing = false;
    }
    if (this.stop.reason !== null) this.finish(this.stop.reason);
    else if (this.decoder.isOver) this.finish('clean');
  };

  private noteProgress(): void {
    this.noteFirstPayload();
    this.payloadCount = this.decoder.payloadCount;
    if (this.stop.reason === null) this.stop.noteProgress({ isFinished: this.decoder.finishReason !== null });
  }

  private noteFirstPayload(): void {
    if (this.firstPayloadAtMs !== null) return;
    this.firstPayloadAtMs = wallClockMs();
    this.handlers.onFirstPayload?.();
  }

  private finish(bodyEnd: BodyEnd): void {
    if (this.isPushing || this.state === 'settled') return;
    this.state = 'settled';
    const closedAtMs = wallClockMs();
    this.detach();
    try {
      const reply = this.decoder.end(bodyEnd);
      this.release({ isReusable: bodyEnd === 'clean' && reply.error === null });
      const { firstPayloadAtMs, firstDeltaAtMs } = this;
      this.settle.resolve({ ...reply, firstPayloadAtMs, firstDeltaAtMs, closedAtMs });
    } catch (error) {
      this.body.destroy();
      this.settle.reject(error);
    }
  }

  private crash(error: unknown): void {
    this.state = 'settled';
    this.detach();
    this.body.destroy();
    this.settle.reject(error);
  }

  private detach(): void {
    this.stop.signal.removeEventListener('abort', this.onStop);
    this.body.off('data', this.onBytes);
  }

  private release({ isReusable }: { isReusable: boolean }): void {
    if (this.body.readableEnded || this.body.destroyed) return;
    if (!isReusable) {
      this.body.destroy();
      return;
    }
    const timer = setTimeout(() => this.body.destroy(), LINGER_MS);
    this.body.once('close', () => clearTimeout(timer));
    this.body.resume();
  }
}
