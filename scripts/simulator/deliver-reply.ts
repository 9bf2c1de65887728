import type { ServerResponse } from 'node:http';
import type { Fault } from './faults.ts';
import type { PacedStream, Pacer } from './pacer.ts';
import { doneEvent, type ReplyFormat, type TokenCounts } from './reply-format.ts';
import type { Token } from './token-source.ts';

/** A reply on its way: what it says, and how fast. */
export interface Reply {
  readonly tokens: Iterator<Token>;
  readonly format: ReplyFormat;
  readonly maxTokens: number;
  readonly includeUsage: boolean;
  /** Counted only when asked for: prompts can be long. */
  readonly promptTokens: () => number;
  readonly fault: Fault | undefined;
  readonly timeToFirstTokenMs: number;
  /** 0: as fast as the socket takes it. */
  readonly tokensPerSecond: number;
}

/** What has been handed to the socket so far. */
export interface Written {
  readonly reasoning: string[];
  readonly content: string[];
  tokens: number;
  reasoningTokens: number;
  finishReason: 'stop' | 'length' | null;
  closed: 'finished' | 'client' | 'fault';
}

export function nothingWritten(): Written {
  return { reasoning: [], content: [], tokens: 0, reasoningTokens: 0, finishReason: null, closed: 'client' };
}

export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

/** How many tokens of an unpaced stream go out in one write. */
const BURST = 64;

/** Streams a reply as server-sent events, one a token. */
export function streamReply(response: ServerResponse, reply: Reply, written: Written, pacer: Pacer): void {
  const stream = new ReplyStream(response, reply, written, pacer);
  response.on('close', () => stream.stop());
  pacer.add(stream);
  if (reply.timeToFirstTokenMs === 0) stream.writeDue();
}

/**
 * States: waiting for the first token; writing, by the pacer's clock or, without a speed, in bursts; over, which the
 * end of the text, the token limit, a fault, or the closing of the socket brings about. A reader that does not keep
 * up is waited for in each.
 */
class ReplyStream implements PacedStream {
  dueAtMs: number;
  private readonly intervalMs: number;
  private buffer: string;
  private isOver = false;
  private readonly response: ServerResponse;
  private readonly reply: Reply;
  private readonly written: Written;
  private readonly pacer: Pacer;

  constructor(response: ServerResponse, reply: Reply, written: Written, pacer: Pacer) {
    this.response = response;
    this.reply = reply;
    this.written = written;
    this.pacer = pacer;
    this.dueAtMs = pacer.nowMs() + reply.timeToFirstTokenMs;
    this.intervalMs = reply.tokensPerSecond > 0 ? 1000 / reply.tokensPerSecond : 0;
    this.buffer = reply.format.opening();
  }

  writeDue(): void {
    if (this.intervalMs === 0) {
      this.leavePacer();
      this.writeBurst();
    } else if (this.response.writableNeedDrain) {
      const due = this.dueAtMs;
      this.dueAtMs = Infinity;
      this.response.once('drain', () => (this.dueAtMs = due));
    } else {
      this.step();
      this.flush();
      this.dueAtMs += this.intervalMs;
    }
  }

  stop(): void {
    this.isOver = true;
    this.leavePacer();
    this.reply.tokens.return?.();
  }

  private leavePacer(): void {
    this.dueAtMs = Infinity;
    this.pacer.remove(this);
  }

  private writeBurst(): void {
    for (let count = 0; count < BURST && !this.isOver; count += 1) this.step();
    if (this.isOver) return;
    if (this.flush()) setImmediate(() => this.writeBurst());
    else this.response.once('drain', () => this.writeBurst());
  }

  /** @returns whether the socket takes more */
  private flush(): boolean {
    const text = this.buffer;
    this.buffer = '';
    return text === '' || this.response.write(text);
  }

  /** Takes the next token into the buffer, or ends the reply. */
  private step(): void {
    const { reply, written } = this;
    const fault = dueFault(reply.fault, written.tokens);
    if (fault !== undefined) {
      this.flush();
      this.isOver = true;
      this.leavePacer();
      strike(this.response, fault, reply.format, written);
      return;
    }
    const next = reply.tokens.next();
    if (next.done !== true && written.tokens < reply.maxTokens) {
      record(written, next.value);
      this.buffer += reply.format.token(next.value);
      return;
    }
    this.finish(next.done === true ? 'stop' : 'length');
  }

  private finish(reason: 'stop' | 'length'): void {
    const { reply, written } = this;
    this.isOver = true;
    this.leavePacer();
    written.finishReason = reason;
    written.closed = 'finished';
    const usage = reply.includeUsage ? reply.format.usage(countTokens(written, reply)) : '';
    this.response.end(this.buffer + reply.format.finish(reason) + usage + doneEvent);
    this.buffer = '';
  }
}

function record(written: Written, token: Token): void {
  written[token.isReasoning ? 'reasoning' : 'content'].push(token.text);
  written.tokens += 1;
  if (token.isReasoning) written.reasoningTokens += 1;
}

function countTokens(written: Written, reply: Reply): TokenCounts {
  return { prompt: reply.promptTokens(), completion: written.tokens, reasoning: written.reasoningTokens };
}

type StreamFault = Extract<Fault, { afterTokens: number }>;

function dueFault(fault: Fault | undefined, tokens: number): StreamFault | undefined {
  return fault !== undefined && 'afterTokens' in fault && tokens >= fault.afterTokens ? fault : undefined;
}

function strike(response: ServerResponse, fault: StreamFault, format: ReplyFormat, written: Written): void {
  written.closed = 'fault';
  switch (fault.type) {
    case 'stall':
      return;
    case 'end':
      response.end();
      return;
    case 'error-event':
      response.end(`data: ${JSON.stringify(serverError('the simulated model has failed'))}\n\n`);
      return;
    case 'cut':
      response.write('data: {"id":', () => response.destroy());
      return;
    case 'cut-utf8': {
      const event = Buffer.from(format.token({ field: 'content', text: '€', isReasoning: false }));
      const inside = event.indexOf(Buffer.from('€')) + 2;
      response.write(event.subarray(0, inside), () => response.destroy());
    }
  }
}

export function serverError(message: string): Record<string, unknown> {
  return { error: { message, type: 'server_error', code: 'simulated' } };
}

/** Sends a reply in one JSON body, after the time that its tokens would have taken. */
export function sendWholeReply(response: ServerResponse, reply: Reply, written: Written): void {
  const tokens: Token[] = [];
  let next = reply.tokens.next();
  while (next.done !== true && tokens.length < reply.maxTokens) {
    tokens.push(next.value);
    record(written, next.value);
    next = reply.tokens.next();
  }
  written.finishReason = next.done === true ? 'stop' : 'length';
  reply.tokens.return?.();
  const text = reply.format.whole(tokens, written.finishReason, countTokens(written, reply));
  const writingMs = reply.tokensPerSecond > 0 ? (1000 * tokens.length) / reply.tokensPerSecond : 0;
  const timer = setTimeout(() => {
    const fault = dueFault(reply.fault, Infinity);
    written.closed = fault === undefined ? 'finished' : 'fault';
    if (fault === undefined) response.end(text);
    else if (fault.type === 'error-event')
      response.end(JSON.stringify(serverError('the simulated model has failed')));
    else if (fault.type === 'end') response.end(text.slice(0, text.length / 2));
    else response.write(text.slice(0, text.length / 2), () => fault.type !== 'stall' && response.destroy());
  }, reply.timeToFirstTokenMs + writingMs);
  response.on('close', () => clearTimeout(timer));
}
