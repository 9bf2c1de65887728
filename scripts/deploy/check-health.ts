import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from '../../shared/config.ts';

/**
 * The health check of the containers, within the container (the image has neither curl nor ps): the worker says itself
 * whether it can do its work, and one that hangs doesn't answer.
 */

const limitMs = 5_000;

/** @throws Error, one line, when the worker of this container does not answer, or says that it is not ready */
export async function checkHealth({
  healthHost,
  healthPort,
  httpToken,
}: Pick<Config, 'healthHost' | 'healthPort' | 'httpToken'>): Promise<void> {
  if (healthPort === undefined) throw new Error('HALTLINE_HEALTH_PORT is not set');
  const url = `http://${hereOf(healthHost)}:${String(healthPort)}/readyz`;
  const headers = httpToken === undefined ? {} : { authorization: `Bearer ${httpToken}` };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(limitMs) });
  if (!response.ok) throw new Error(`${url} answered ${String(response.status)}: ${await response.text()}`);
}

/** Who listens on every address is asked on loopback. */
function hereOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await checkHealth(loadConfig(process.env));
  } catch (error) {
    process.stderr.write(`unhealthy: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
