import { Agent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { decompressBody } from './decompress-body.ts';
import type { ResponseHeaders } from './http-error.ts';

/** A response whose body is a Node stream. */
export interface NodeResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Readable;
}

const httpAgent = new Agent({ keepAlive: true });
const httpsAgent = new TlsAgent({ keepAlive: true });

/**
 * Carries a Node response through the SDK, which wants a `Response`. Its own status is always 200: given another, the
 * SDK would read the body of the error itself, without our limits.
 */
class CarrierResponse extends Response {
  readonly carried: NodeResponse;

  constructor(carried: NodeResponse) {
    super(null, { status: 200 });
    this.carried = carried;
  }
}

/**
 * A `fetch` over `node:http` for the SDK: reading a web stream is what costs most for each token. Follows no
 * redirects, and asks for no compression (but undoes it).
 *
 * @throws the system's error when no response arrives, an AbortError on abort
 */
export async function fetchOverNode(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  const message = await send(url, init, { isResent: false });
  const body = decompressBody(message);
  // Its reader attaches a few microtasks later; an error in between must not end the process.
  body.on('error', () => undefined);
  return new CarrierResponse({ status: message.statusCode ?? 0, headers: message.headers, body });
}

/** The Node response that a `fetchOverNode` response carries. */
export function carriedResponse(response: Response): NodeResponse {
  if (!(response instanceof CarrierResponse)) throw new TypeError('expected a response of fetchOverNode');
  return response.carried;
}

function send(url: URL, init: RequestInit, { isResent }: { isResent: boolean }): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = createRequest(url, init, { isFresh: isResent });
    request.once('response', (message) => {
      message.on('error', () => undefined);
      resolve(message);
    });
    request.on('error', (error) => {
      if (request.reusedSocket && !isResent && isConnectionReset(error)) {
        // The server had closed an idle connection before it saw this request.
        resolve(send(url, init, { isResent: true }));
      } else {
        reject(error);
      }
    });
    request.end(bodyText(init.body));
  });
}

function createRequest(url: URL, init: RequestInit, { isFresh }: { isFresh: boolean }): ClientRequest {
  const isTls = url.protocol === 'https:';
  const agent = isTls ? httpsAgent : httpAgent;
  const headers = { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' };
  return (isTls ? requestHttps : requestHttp)(url, {
    method: init.method ?? 'GET',
    headers,
    agent: isFresh ? false : agent,
    ...(init.signal ? { signal: init.signal } : {}),
  });
}

function bodyText(body: RequestInit['body']): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body !== 'string') throw new TypeError('expected a request body of text');
  return body;
}

function isConnectionReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}
