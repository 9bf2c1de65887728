import { createServer, type Server, type ServerResponse } from 'node:http';
import { requestRefusal, unsafeListening } from '../core/http-guard.ts';
import { HaltlineError } from '../errors.ts';
import { isEqualSecret } from '../hash.ts';
import { metricsContentType, renderMetrics, type Sample } from './metrics-registry.ts';

/** What a worker says of itself. */
export interface HealthSource {
  /** Why it can't do its work now; undefined when it can. */
  unready(): string | undefined;
  /** What this process has under way; none where it serves its figures elsewhere. */
  samples?(): Iterable<Sample>;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface HealthAddress {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** What callers must show; absent: only a loopback host is listened on. */
  readonly token?: string | undefined;
}

/**
 * Answers questions about this process: `/livez` is 200 while the event loop turns, `/readyz` 200 while the worker can
 * do its work, else 503 with the reason in a line; `/metrics` is what it has under way, for Prometheus.
 *
 * @throws HaltlineError `CONFIG_INVALID` when the address can't be had, or is reached from elsewhere and asks for no
 *   token
 */
export async function startHealthServer(address: HealthAddress, source: HealthSource): Promise<HealthServer> {
  const { host, token } = address;
  const unsafe = unsafeListening({ host, token });
  if (unsafe !== undefined) throw new HaltlineError('CONFIG_INVALID', `health is not served: ${unsafe}`);
  const server = createServer((request, response) => {
    const refused = requestRefusal({ host, token, isEqual: isEqualSecret }, request.headers);
    if (refused) {
      answer(response, refused.status, refused.reason);
      return;
    }
    const { pathname } = new URL(request.url ?? '/', 'http://health');
    if (pathname === '/livez') answer(response, 200, 'live');
    else if (pathname === '/metrics') void answerMetrics(response, source);
    else if (pathname !== '/readyz') answer(response, 404, 'expected /livez, /readyz or /metrics');
    else {
      const why = source.unready();
      answer(response, why === undefined ? 200 : 503, why ?? 'ready');
    }
  });
  await listen(server, address);
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : address.port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

async function answerMetrics(response: ServerResponse, source: HealthSource): Promise<void> {
  try {
    const text = await renderMetrics(source.samples?.() ?? []);
    response.writeHead(200, { 'content-type': metricsContentType }).end(text);
  } catch (error) {
    answer(response, 500, error instanceof Error ? error.message : String(error));
  }
}

async function listen(server: Server, { host, port }: HealthAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new HaltlineError(
          'CONFIG_INVALID',
          `health port ${port} on ${host} cannot be had: ${cause.message}`,
          {
            cause,
          },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
}
