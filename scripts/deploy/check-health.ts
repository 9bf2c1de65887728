import { fileURLToPath } from 'node:url';
import { type Config, loadConfig } from '../../shared/config.ts';

/**
 * The health check of the containers, within the container (the image has neither curl nor ps): the worker says itself
 * whether it can do its work, and one that hangs doesn't answer.
 */

const limitMs = 5_000;

/** @throws Error, one line, when the worker of this container does not answer, or says that it is not ready */
export async function checkHealth({ healthPort }: Pick<Config, 'healthPort'>): Promise<void> {
  if (healthPort === undefined) throw new Error('HALTLINE_HEALTH_PORT is not set');
  const url = `http://127.0.0.1:${String(healthPort)}/readyz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(limitMs) });
  if (!response.ok) throw new Error(`${url} answered ${String(response.status)}: ${await response.text()}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await checkHealth(loadConfig(process.env));
  } catch (error) {
    process.stderr.write(`unhealthy: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
