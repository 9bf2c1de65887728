import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that the server received whole, and the response to write. */
export interface Exchange {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** Resolves once the connection, open now, has been closed. */
  readonly closed: () => Promise<void>;
}

/**
 * A loopback HTTP server that answers each request as `answer` does. Ends with the test.
 * @returns its base URL, without a slash at the end
 */
export async function startServer(answer: (exchange: Exchange) => void | Promise<void>): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    const closed = () => new Promise<void>((resolve) => request.socket.once('close', () => resolve()));
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { url: path = '', headers, socket } = request;
      void answer({ path, headers, body, response, socket, closed });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${portOf(server.address())}/v1`;
}

export function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address');
  return address.port;
}

/** Writes a piece and waits until the system has taken it, so that pieces stay separate writes. */
export function write(response: ServerResponse, bytes: Buffer | string): Promise<void> {
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}

/** A chunk of a chat stream, as an event. */
export function chatEvent(delta: object, finishReason: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;
}
