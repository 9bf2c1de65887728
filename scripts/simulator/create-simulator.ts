import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { z } from 'zod';
import { requestRefusal, unsafeListening } from '../../shared/core/http-guard.ts';
import { HaltlineError } from '../../shared/errors.ts';
import { isEqualSecret } from '../../shared/hash.ts';
import { answerRecorded, answerRequest, type World } from './answer-request.ts';
import { parseRequest, type SimulatorRequest } from './chat-request.ts';
import { createFaultDraw } from './choose-fault.ts';
import { type Fault, parseFault } from './faults.ts';
import { listModels, parseJson, readBody, sendError, sendJson } from './http-messages.ts';
import { loadQuestions } from './load-questions.ts';
import { createPacer } from './pacer.ts';
import { monitorFault, monitorModels } from './play-monitor.ts';
import {
  loadRecordedStreams,
  recordedModelPrefix,
  type RecordedStream,
  recordedStreamSchema,
} from './recorded-streams.ts';
import { createQuestionIndex } from './question-index.ts';
import { createRequestLog } from './request-log.ts';
import {
  type SimulatorLogEntry,
  simulatorOptionsSchema,
  type SimulatorSettings,
} from './simulator-options.ts';
import type { Script } from './token-source.ts';

/** Settings, and hooks for tests. */
export type SimulatorOptions = z.input<typeof simulatorOptionsSchema> & {
  /** The fault of a request, if any; wins over every other source. */
  readonly fault?: (requestIndex: number, body: unknown) => Fault | undefined;
  /** The exact deltas of a request; undefined leaves it to the model. */
  readonly script?: (body: unknown) => Script | undefined;
  /** The API key that callers must send; absent: only a loopback host is listened on. */
  readonly token?: string | undefined;
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
 * @throws HaltlineError `CONFIG_INVALID` for a host that is reached from elsewhere without a token
 * @throws HaltlineError `DATA_MISSING` or `DATA_INVALID` for an answer file that cannot be used
 * @throws when the folder of recorded streams cannot be read
 */
export async function createSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { fault, script = () => undefined, onClosed, token, ...rest } = options;
  const settings = simulatorOptionsSchema.parse(rest);
  const { host } = settings;
  const unsafe = unsafeListening({ host, token });
  if (unsafe !== undefined) throw new HaltlineError('CONFIG_INVALID', unsafe);
  const guard = { host, token, isEqual: isEqualSecret };
  const questions = createQuestionIndex(await loadQuestions(settings.answerFiles));
  const recorded = new Map(readRecorded(settings.casesDir).map((stream) => [stream.id, stream]));
  const [pacer, log, drawFault] = [
    createPacer(),
    createRequestLog(settings, onClosed),
    createFaultDraw(settings),
  ];
  const chooseFault: World['chooseFault'] = ({ requestIndex, body, request, messagesHash }) =>
    fault?.(requestIndex, body) ??
    request.namedFault ??
    monitorFault(request.model) ??
    drawFault(messagesHash);
  const serveAll = createListener({ settings, questions, pacer, log, script, chooseFault }, recorded);
  const server = createServer((message, response) => {
    const refused = requestRefusal(guard, message.headers);
    if (refused) sendError(response, refused.status, refused.reason);
    else serveAll(message, response);
  });
  // Hanging requests are faults that this server plays: its own time limits would end them.
  server.requestTimeout = 0;
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

const endpoints: Readonly<Record<string, SimulatorRequest['endpoint'] | 'responses'>> = {
  'POST /v1/chat/completions': 'chat',
  'POST /v1/completions': 'completions',
  'POST /v1/responses': 'responses',
};

function readRecorded(casesDir: string | undefined): RecordedStream[] {
  return casesDir === undefined ? [] : loadRecordedStreams(casesDir, recordedStreamSchema);
}

function createListener(world: World, recorded: ReadonlyMap<string, RecordedStream>): RequestListener {
  const embeddedPrompts = new Map(Object.entries(world.settings.embeddedPrompts));
  const recordedModels = [...recorded.keys()].map((id) => recordedModelPrefix + id);
  const models = listModels([...Object.keys(world.settings.models), ...monitorModels, ...recordedModels]);
  return (message, response) => {
    response.setHeader('x-haltline-simulated', '1');
    const { pathname } = new URL(message.url ?? '/', 'http://simulator');
    const route = `${message.method ?? ''} ${pathname.replace(/\/+$/, '')}`;
    const endpoint = endpoints[route];
    if (route === 'GET /v1/models') sendJson(response, 200, models);
    else if (endpoint === undefined) sendError(response, 404, `no such endpoint: ${route}`);
    else {
      readJson(message)
        .then((body) => {
          const stream = recorded.get(recordedId(body));
          if (stream) return answerRecorded(world, { stream, body, response });
          if (endpoint === 'responses') {
            sendError(response, 404, 'the Responses API is played from recorded streams only');
            return undefined;
          }
          const request = readRequest(endpoint, { message, body }, embeddedPrompts);
          answerRequest(world, { request, body, response });
          return undefined;
        })
        .catch((error: unknown) => {
          const isBadRequest = error instanceof z.ZodError || error instanceof SyntaxError;
          const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
          sendError(response, isBadRequest ? 400 : 500, reason);
        });
    }
  };
}

async function readJson(message: IncomingMessage): Promise<unknown> {
  return parseJson(await readBody(message));
}

/** The id of the recorded stream that a request asks for; empty when it asks for none. */
function recordedId(body: unknown): string {
  const { data } = z.object({ model: z.string() }).safeParse(body);
  return data?.model.startsWith(recordedModelPrefix) === true
    ? data.model.slice(recordedModelPrefix.length)
    : '';
}

function readRequest(
  endpoint: SimulatorRequest['endpoint'],
  { message, body }: { message: IncomingMessage; body: unknown },
  embeddedPrompts: ReadonlyMap<string, string>,
): SimulatorRequest {
  const request = parseRequest(endpoint, body, embeddedPrompts);
  const header = message.headers['x-haltline-fault'];
  const namedFault = typeof header === 'string' ? parseFault(header) : undefined;
  return { ...request, namedFault: namedFault ?? request.namedFault };
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
