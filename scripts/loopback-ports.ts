import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** A server on a free loopback port that accepts connections and says nothing. The caller closes it. */
export async function listenOnLoopback(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return { server, port: address.port };
}

/** A loopback port where nothing listens. */
export async function closedPort(): Promise<number> {
  const { server, port } = await listenOnLoopback();
  server.close();
  await once(server, 'close');
  return port;
}
