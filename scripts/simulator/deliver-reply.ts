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

/**
 * Streams a reply as server-sent events, one a token. States: waiting for the first token, writing, and over, which
 * the end of the text, the token limit, a fault, or the closing of the socket brings about.
 */
export function streamReply(response: ServerResponse, reply: Reply, written: Written, pacer: Pacer): void {
  const interval = reply.tokensPerSecond > 0 ? 1000 / reply.tokensPerSecond : 0;
  let isOver = false;
  let buffer = reply.format.opening();
  const write = (text: string): void => {
    buffer += text;
  };
  const flush = (): boolean => {
    const text = buffer;
    buffer = '';
    return text === '' || response.write(text);
  };
  const step = (): void => {
    const fault = dueFault(reply.fault, written.tokens);
    if (fault !== undefined) {
      isOver = true;
      flush();
      strike(response, fault, reply.format, written);
      return;
    }
    const next = reply.tokens.next();
    if (next.done !== true && written.tokens < reply.maxTokens) {
      record(written, next.value);
      write(reply.format.token(next.value));
      return;
    }
    isOver = true;
    written.finishReason = next.done === true ? 'stop' : 'length';
    written.closed = 'finished';
    write(reply.format.finish(written.finishReason));
    if (reply.includeUsage) write(reply.format.usage(countTokens(written, reply)));
    response.end(buffer + doneEvent);
  };
  const paced: PacedStream = {
    dueAtMs: pacer.nowMs() + reply.timeToFirstTokenMs,
    writeDue: () => {
      if (interval === 0) {
        leavePacer();
        burst();
        return;
      }
      // A reader that does not keep up is waited for; its tokens stay due.
      if (response.writableNeedDrain) {
        const due = paced.dueAtMs;
        paced.dueAtMs = Infinity;
        response.once('drain', () => (paced.dueAtMs = due));
        return;
      }
      step();
      paced.dueAtMs = isOver ? Infinity : paced.dueAtMs + interval;
      if (isOver) leavePacer();
      else flush();
    },
  };
  const leavePacer = (): void => {
    paced.dueAtMs = Infinity;
    pacer.remove(paced);
  };
  const burst = (): void => {
    for (let count = 0; count < BURST && !isOver; count += 1) step();
    if (isOver) return;
    if (flush()) setImmediate(burst);
    else response.once('drain', burst);
  };
  response.on('close', () => {
    isOver = true;
    leavePacer();
    reply.tokens.return?.();
  });
  pacer.add(paced);
  if (reply.timeToFirstTokenMs === 0) paced.writeDue();
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
