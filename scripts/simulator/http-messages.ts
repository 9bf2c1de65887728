import type { IncomingMessage, ServerResponse } from 'node:http';

/** A bigger prompt than this is no prompt. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** @throws SyntaxError for a body that is too long */
export async function readBody(message: IncomingMessage): Promise<string> {
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

export function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** The reply of `GET /v1/models`. */
export function listModels(names: readonly string[]): Record<string, unknown> {
  const data = names.map((id) => ({ id, object: 'model', created: 0, owned_by: 'haltline-simulator' }));
  return { object: 'list', data };
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Replies with an error, or, once a reply has begun, cuts it off. */
export function sendError(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  sendJson(response, status, { error: { message, type: 'invalid_request_error', code: null } });
}
