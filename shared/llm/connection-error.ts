import { streamError, type StreamError } from './stream-error.ts';

const NO_CONNECTION =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|EADDR|ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_|UNABLE_)/;
const HOPELESS = /^(ERR_|CERT_|DEPTH_|SELF_|UNABLE_)/;

/**
 * What a request that got no response failed of, by the system's error code, which stands somewhere in the chain of
 * causes; null when there is none: then it is no failure of a connection.
 */
export function connectionError(error: unknown): StreamError | null {
  const code = systemCode(error);
  if (code === null) return null;
  const kind = NO_CONNECTION.test(code) ? 'connection_refused' : 'connection_reset';
  return streamError(kind, { code, retryable: !HOPELESS.test(code) });
}

function systemCode(error: unknown): string | null {
  for (let link = error; link instanceof Error; link = link.cause) {
    if ('code' in link && typeof link.code === 'string') return link.code;
  }
  return null;
}
