import type { Logger } from 'pino';
import { type Config, loadConfig } from '../shared/config.ts';
import { createLogger } from '../shared/observability/logger.ts';

/** What every command starts from. */
export interface Session {
  readonly config: Config;
  readonly log: Logger;
}

/**
 * Reads the environment and opens the log (on standard error).
 *
 * @param quiet - for commands that a person watches: warnings only, unless the environment asks for more
 * @throws HaltlineError CONFIG_INVALID
 */
export function openSession(name: string, { quiet = false }: { quiet?: boolean } = {}): Session {
  const config = loadConfig({ ...(quiet ? { HALTLINE_LOG_LEVEL: 'warn' } : {}), ...process.env });
  const { logLevel: level, logFormat: format, color } = config;
  const log = createLogger({ level, name, color, ...(format === undefined ? {} : { format }) });
  return { config, log };
}
