import OpenAI from 'openai';
import type { TargetSpec } from '../schemas/sweep-spec.ts';
import { connectionError } from './connection-error.ts';
import { cutKey } from './cut-key.ts';
import { carriedResponse, fetchOverNode, type NodeResponse } from './node-fetch.ts';
import { readStream, type ReadTimes, type StreamHandlers } from './read-stream.ts';
import {
  buildChatBody,
  buildCompletionBody,
  buildResponsesBody,
  type StreamRequest,
} from './request-body.ts';
import type { DecodedReply } from './stream-decoder.ts';
import { streamStatus } from './stream-status.ts';
import { StreamStop, type StreamLimits } from './stream-stop.ts';
import { wallClockMs } from './wall-clock.ts';

/** Where and how a target is asked, as the spec has it, with the secret that the spec only names. */
export interface StreamTarget {
  readonly config: TargetSpec['config'];
  readonly think: TargetSpec['think'];
  readonly harmony: TargetSpec['harmony'];
  readonly timeouts: StreamLimits;
  /** Absent: no `Authorization` header is sent. */
  readonly apiKey?: string | undefined;
  readonly maxEventBytes?: number;
}

/** How one request ended. Text received before a failure is kept. Times: see `ReadTimes`. */
export interface StreamEnd extends DecodedReply, ReadTimes {
  readonly requestStartedAtMs: number;
  /** null: no response arrived. */
  readonly httpStatus: number | null;
  /** Whether the server said that it is a simulator. */
  readonly simulated: boolean;
}

const SIMULATOR_HEADER = 'x-haltline-simulated';

/**
 * Sends one request, once, and streams its reply. An abort closes the socket at once. Whatever the server does is a
 * `StreamEnd`; the promise rejects only with what a handler threw, or with our own mistakes.
 */
export async function streamOnce(
  target: StreamTarget,
  request: StreamRequest,
  handlers: StreamHandlers,
  signal: AbortSignal,
): Promise<StreamEnd> {
  const requestStartedAtMs = wallClockMs();
  const stop = new StreamStop(target.timeouts, signal);
  try {
    const response = await openOrFail(target, request, stop);
    if (!('body' in response)) return { ...response, requestStartedAtMs };
    const { config, think, harmony, maxEventBytes } = target;
    const options = {
      api: config.api,
      think,
      harmony,
      ...(maxEventBytes === undefined ? {} : { maxEventBytes }),
    };
    const end = cutKey(await readStream(response, options, handlers, stop), target.apiKey);
    const simulated = response.headers[SIMULATOR_HEADER] !== undefined;
    return { ...end, requestStartedAtMs, httpStatus: response.status, simulated };
  } finally {
    stop.dispose();
  }
}

type EndWithoutResponse = Omit<StreamEnd, 'requestStartedAtMs'>;

async function openOrFail(
  target: StreamTarget,
  request: StreamRequest,
  stop: StreamStop,
): Promise<NodeResponse | EndWithoutResponse> {
  try {
    return carriedResponse(await open(target, request, stop.signal));
  } catch (error) {
    return endWithoutResponse(error, stop);
  }
}

async function open(target: StreamTarget, request: StreamRequest, signal: AbortSignal): Promise<Response> {
  const { config } = target;
  const client = sdkClient(target);
  switch (config.api) {
    case 'chat':
      return client.chat.completions.create(buildChatBody(config, request), { signal }).asResponse();
    case 'completions':
      return client.completions.create(buildCompletionBody(config, request), { signal }).asResponse();
    case 'responses':
      return client.responses.create(buildResponsesBody(config, request), { signal }).asResponse();
  }
}

/** One for each address and key, for the life of a process: making one costs as much as sending a request with it. */
const clients = new Map<string, OpenAI>();

function sdkClient({ config, apiKey }: StreamTarget): OpenAI {
  const name = JSON.stringify([config.apiBaseUrl, apiKey]);
  const client = clients.get(name) ?? createSdkClient(config.apiBaseUrl, apiKey);
  clients.set(name, client);
  return client;
}

/** The SDK gives paths, headers and types. Retries and time limits are ours; the environment is not its business. */
function createSdkClient(baseURL: string, apiKey: string | undefined): OpenAI {
  return new OpenAI({
    baseURL,
    apiKey: apiKey ?? 'unset',
    ...(apiKey === undefined ? { defaultHeaders: { authorization: null } } : {}),
    organization: null,
    project: null,
    webhookSecret: null,
    adminAPIKey: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    fetch: fetchOverNode,
  });
}

/** @throws the error itself when it is neither an abort nor a failed connection */
function endWithoutResponse(error: unknown, stop: StreamStop): EndWithoutResponse {
  const connection = stop.reason === null ? connectionError(error) : null;
  if (stop.reason === null && connection === null) throw error;
  const { status, error: streamError } = streamStatus({
    error: connection,
    isNoEventStream: false,
    finishReason: null,
    sawDone: false,
    isEmpty: true,
    bodyEnd: stop.reason ?? 'reset',
  });
  return {
    ...{
      status,
      error: streamError,
      reasoning: '',
      answer: '',
      refusal: null,
      finishReason: null,
      usage: null,
    },
    ...{ firstPayloadAtMs: null, firstDeltaAtMs: null, closedAtMs: wallClockMs() },
    ...{ httpStatus: null, simulated: false },
  };
}
