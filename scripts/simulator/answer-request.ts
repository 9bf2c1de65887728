import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { SimulatorRequest } from './chat-request.ts';
import { strikeBeforeReply } from './choose-fault.ts';
import { countTokens } from './cut-tokens.ts';
import { nothingWritten, type Reply, sendWholeReply, streamHeaders, streamReply } from './deliver-reply.ts';
import type { Fault } from './faults.ts';
import { sendError } from './http-messages.ts';
import type { Pacer } from './pacer.ts';
import { isMonitorModel, playMonitor } from './play-monitor.ts';
import { playTarget } from './play-target.ts';
import type { QuestionIndex } from './question-index.ts';
import { playRecordedStream, recordedModelPrefix, type RecordedStream } from './recorded-streams.ts';
import { createReplyFormat } from './reply-format.ts';
import type { RequestLog } from './request-log.ts';
import type { SimulatorSettings } from './simulator-options.ts';
import { type Script, scriptedTokens, type Token, tokensOf } from './token-source.ts';

/** What the requests of one simulator share. */
export interface World {
  readonly settings: SimulatorSettings;
  readonly questions: QuestionIndex;
  readonly pacer: Pacer;
  readonly log: RequestLog;
  readonly script: (body: unknown) => Script | undefined;
  readonly chooseFault: (asked: {
    readonly requestIndex: number;
    readonly body: unknown;
    readonly request: SimulatorRequest;
    readonly messagesHash: string;
  }) => Fault | undefined;
}

/** Answers one request, from its log entry to its last byte or its fault. */
export function answerRequest(
  world: World,
  { request, body, response }: { request: SimulatorRequest; body: unknown; response: ServerResponse },
): void {
  const messagesHash = createHash('sha256').update(JSON.stringify(request.messages)).digest('hex');
  const written = nothingWritten();
  const entry = world.log.open(
    { model: request.model, body, seed: request.seed ?? null, messagesHash },
    written,
  );
  response.on('close', () => world.log.close(entry, response.statusCode));
  const fault = world.chooseFault({ requestIndex: entry.requestIndex, body, request, messagesHash });
  if (fault !== undefined) entry.fault = fault.type;
  if (fault !== undefined && strikeBeforeReply(response, fault, () => (written.closed = 'fault'))) return;
  const tokens = chooseTokens(world, request, { body, messagesHash });
  if (tokens === undefined) {
    written.closed = 'finished';
    sendError(response, 404, `the simulator plays no model "${request.model}"`);
    return;
  }
  const reply = buildReply(world.settings, { request, messagesHash, tokens, fault });
  if (request.stream) {
    response.writeHead(200, streamHeaders).flushHeaders();
    streamReply(response, reply, written, world.pacer);
  } else {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    sendWholeReply(response, reply, written);
  }
}

/** Answers one request with a recorded stream. */
export function answerRecorded(
  { log }: World,
  { stream, body, response }: { stream: RecordedStream; body: unknown; response: ServerResponse },
): Promise<void> {
  const written = nothingWritten();
  const messagesHash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const entry = log.open({ model: recordedModelPrefix + stream.id, body, seed: null, messagesHash }, written);
  response.on('close', () => log.close(entry, response.statusCode));
  return playRecordedStream(stream, response, written);
}

/** What the model of a request writes; undefined for a model that nobody plays. */
function chooseTokens(
  { settings, questions, script }: World,
  request: SimulatorRequest,
  { body, messagesHash }: { body: unknown; messagesHash: string },
): Iterator<Token> | undefined {
  const personality = settings.models[request.model];
  const scripted = script(body);
  if (scripted !== undefined) {
    return scriptedTokens(scripted, personality?.reasoning ?? 'reasoning_content');
  }
  if (personality === undefined) {
    return isMonitorModel(request.model) ? tokensOf(playMonitor(request), 'none') : undefined;
  }
  const seed = [settings.seed, request.model, request.seed ?? '', messagesHash].join('/');
  const mind = {
    personality,
    questions,
    susceptibility: personality.susceptibility ?? settings.susceptibility,
    wrongShare: personality.wrongShare ?? settings.wrongShare,
    errorShare: personality.errorShare ?? settings.errorShare,
  };
  return tokensOf(playTarget({ messages: request.messages, seed }, mind), personality.reasoning);
}

interface ReplyParts {
  readonly request: SimulatorRequest;
  readonly messagesHash: string;
  readonly tokens: Iterator<Token>;
  readonly fault: Fault | undefined;
}

function buildReply(
  settings: SimulatorSettings,
  { request, messagesHash, tokens, fault }: ReplyParts,
): Reply {
  // Equal requests get equal ids: there is nothing in a reply that its request does not decide.
  const id = `${request.endpoint === 'chat' ? 'chatcmpl' : 'cmpl'}-${messagesHash.slice(0, 24)}`;
  return {
    tokens,
    format: createReplyFormat(request, id),
    maxTokens: request.maxTokens ?? settings.defaultMaxTokens,
    includeUsage: request.includeUsage,
    promptTokens: () => request.messages.reduce((sum, message) => sum + countTokens(message.text), 0),
    fault,
    timeToFirstTokenMs: settings.timeToFirstTokenMs,
    tokensPerSecond: fault?.type === 'slow' ? fault.tokensPerSecond : settings.tokensPerSecond,
  };
}
