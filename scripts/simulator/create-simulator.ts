import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { createRandom } from '../../shared/core/random.ts';
import { parseRequest, type SimulatorRequest } from './chat-request.ts';
import { countTokens } from './cut-tokens.ts';
import {
  nothingWritten,
  type Reply,
  sendWholeReply,
  serverError,
  streamHeaders,
  streamReply,
} from './deliver-reply.ts';
import { type Fault, parseFault, splitModelName } from './faults.ts';
import { loadQuestions } from './load-questions.ts';
import { createPacer } from './pacer.ts';
import type { Personality } from './personality.ts';
import { isMonitorModel, monitorFault, monitorModels, playMonitor } from './play-monitor.ts';
import { playTarget } from './play-target.ts';
import { createQuestionIndex } from './question-index.ts';
import { createReplyFormat } from './reply-format.ts';
import { createRequestLog, type OpenEntry } from './request-log.ts';
import {
  type SimulatorLogEntry,
  simulatorOptionsSchema,
  type SimulatorSettings,
} from './simulator-options.ts';
import { type Script, scriptedTokens, type Token, tokensOf } from './token-source.ts';

/** Settings, and hooks for tests. */
export type SimulatorOptions = z.input<typeof simulatorOptionsSchema> & {
  /** The fault of a request, if any; wins over every other source. */
  readonly fault?: (requestIndex: number, body: unknown) => Fault | undefined;
  /** The exact deltas of a request; undefined leaves it to the model. */
  readonly script?: (body: unknown) => Script | undefined;
  /** Called once a request, when its socket is done with it. */
  readonly onClosed?: (entry: SimulatorLogEntry) => void;
};

export interface Simulator {
  /** Base URL with `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Closed requests, oldest first: the latest `logEntries` of them. */
  readonly requests: () => SimulatorLogEntry[];
  /** Requests that are being answered now. */
  readonly openRequests: () => number;
  readonly close: () => Promise<void>;
}

/**
 * Starts an OpenAI-compatible server that plays target and monitor models. What it writes follows from its seed and
 * the request alone, never from order or time; faults and scripts are the exceptions that tests ask for.
 *
 * @throws HaltlineError `DATA_MISSING` or `DATA_INVALID` for an answer file that cannot be used
 */
export async function createSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { fault, script, onClosed, ...rest } = options;
  const settings = simulatorOptionsSchema.parse(rest);
  const questions = createQuestionIndex(await loadQuestions(settings.answerFiles));
  const pacer = createPacer();
  const log = createRequestLog(settings, onClosed);
  const drawFault = createFaultDraw(settings);

  const answer = (
    request: SimulatorRequest,
    entry: OpenEntry,
    body: unknown,
  ): Iterator<Token> | undefined => {
    const personality = settings.models[request.model];
    const scripted = script?.(body);
    if (scripted !== undefined)
      return scriptedTokens(scripted, personality?.reasoning ?? 'reasoning_content');
    if (personality === undefined) {
      return isMonitorModel(request.model) ? tokensOf(playMonitor(request), 'none') : undefined;
    }
    const seed = [settings.seed, request.model, request.seed ?? '', entry.messagesHash].join('/');
    return tokensOf(
      playTarget({ messages: request.messages, seed }, mindOf(personality)),
      personality.reasoning,
    );
  };
  const mindOf = (personality: Personality) => ({
    personality,
    questions,
    susceptibility: personality.susceptibility ?? settings.susceptibility,
    wrongShare: personality.wrongShare ?? settings.wrongShare,
    errorShare: personality.errorShare ?? settings.errorShare,
  });

  const complete = async (
    endpoint: SimulatorRequest['endpoint'],
    message: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const text = await readBody(message);
    const body: unknown = parseJson(text);
    const asked = z.object({ model: z.string() }).loose().safeParse(body);
    const named = splitModelName(asked.data?.model ?? '');
    const request = parseRequest(endpoint, asked.success ? { ...asked.data, model: named.model } : body);
    const messagesHash = createHash('sha256').update(JSON.stringify(request.messages)).digest('hex');
    const written = nothingWritten();
    const entry = log.open({ model: request.model, body, seed: request.seed ?? null, messagesHash }, written);
    const header = message.headers['x-haltline-fault'];
    const struck =
      fault?.(entry.requestIndex, body) ??
      (typeof header === 'string' ? parseFault(header) : undefined) ??
      named.fault ??
      monitorFault(request.model) ??
      drawFault(messagesHash);
    if (struck !== undefined) entry.fault = struck.type;
    response.on('close', () => log.close(entry, response.statusCode));
    if (struck !== undefined && strikeBeforeReply(response, struck, () => (written.closed = 'fault'))) return;
    const tokens = answer(request, entry, body);
    if (tokens === undefined) {
      written.closed = 'finished';
      sendError(response, 404, `the simulator plays no model "${request.model}"`);
      return;
    }
    const id = `${endpoint === 'chat' ? 'chatcmpl' : 'cmpl'}-${messagesHash.slice(0, 24)}`;
    const reply: Reply = {
      tokens,
      format: createReplyFormat(request, id),
      maxTokens: request.maxTokens ?? settings.defaultMaxTokens,
      includeUsage: request.includeUsage,
      promptTokens: () => request.messages.reduce((sum, one) => sum + countTokens(one.text), 0),
      fault: struck,
      timeToFirstTokenMs: settings.timeToFirstTokenMs,
      tokensPerSecond: struck?.type === 'slow' ? struck.tokensPerSecond : settings.tokensPerSecond,
    };
    if (request.stream) {
      response.writeHead(200, streamHeaders).flushHeaders();
      streamReply(response, reply, written, pacer);
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      sendWholeReply(response, reply, written);
    }
  };

  const server = createServer((message, response) => {
    response.setHeader('x-haltline-simulated', '1');
    const { pathname } = new URL(message.url ?? '/', 'http://simulator');
    const route = `${message.method ?? ''} ${pathname.replace(/\/+$/, '')}`;
    if (route === 'GET /v1/models') {
      sendJson(response, 200, listModels([...Object.keys(settings.models), ...monitorModels]));
      return;
    }
    const endpoint = endpoints[route];
    if (endpoint === undefined) {
      sendError(response, 404, `no such endpoint: ${route}`);
      return;
    }
    complete(endpoint, message, response).catch((error: unknown) => {
      const isBadRequest = error instanceof z.ZodError || error instanceof SyntaxError;
      const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
      sendError(response, isBadRequest ? 400 : 500, reason);
    });
  });
  // Hanging requests are faults that this server plays: its own time limits would end them.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 5_000;
  const port = await listen(server, settings);
  return {
    url: `http://${settings.host}:${port}/v1`,
    port,
    requests: () => log.entries(),
    openRequests: () => log.openCount(),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      pacer.close();
      await log.end();
    },
  };
}

const endpoints: Readonly<Record<string, SimulatorRequest['endpoint']>> = {
  'POST /v1/chat/completions': 'chat',
  'POST /v1/completions': 'completions',
};

/** A bigger prompt than this is no prompt. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

async function readBody(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of message) {
    if (!Buffer.isBuffer(part)) continue;
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new SyntaxError(`the body is over ${MAX_BODY_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** Faults that leave no room for a reply. @returns whether the request is dealt with */
function strikeBeforeReply(response: ServerResponse, fault: Fault, note: () => void): boolean {
  if (fault.type === 'status') {
    note();
    if (fault.retryAfterSeconds !== undefined)
      response.setHeader('retry-after', String(fault.retryAfterSeconds));
    sendJson(response, fault.status, serverError(`simulated status ${fault.status}`));
  } else if (fault.type === 'refuse') {
    note();
    response.destroy();
  } else if (fault.type === 'hang') {
    note();
  } else {
    return false;
  }
  return true;
}

/** Each request of the same messages is drawn anew, so that a retry can succeed; the first draw is the seed's. */
function createFaultDraw({ faults, seed }: SimulatorSettings): (messagesHash: string) => Fault | undefined {
  const asked = new Map<string, number>();
  return (messagesHash) => {
    if (faults.length === 0) return undefined;
    const times = (asked.get(messagesHash) ?? 0) + 1;
    asked.set(messagesHash, times);
    let draw = createRandom(`${seed}/fault/${messagesHash}/${times}`).next();
    for (const { fault, share } of faults) {
      if (draw < share) return parseFault(fault);
      draw -= share;
    }
    return undefined;
  };
}

function listModels(names: readonly string[]): Record<string, unknown> {
  const data = names.map((id) => ({ id, object: 'model', created: 0, owned_by: 'haltline-simulator' }));
  return { object: 'list', data };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendError(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  sendJson(response, status, { error: { message, type: 'invalid_request_error', code: null } });
}

function listen(server: ReturnType<typeof createServer>, { host, port }: SimulatorSettings): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
