import { connect } from 'node:net';
import { isNeverAsked } from '../shared/core/recorded-target.ts';
import { HaltlineError } from '../shared/errors.ts';
import type { TargetSpec } from '../shared/schemas/sweep-spec.ts';

const CONNECT_MS = 5_000;

/**
 * Opens and closes a connection to every target, so that a wrong address is one line now and not a failed run a minute.
 *
 * @throws HaltlineError TARGET_UNREACHABLE, naming the first target that cannot be reached
 */
export async function checkTargets(targets: readonly TargetSpec[]): Promise<void> {
  const asked = targets.filter((target) => !isNeverAsked(target));
  await Promise.all(
    asked.map(async ({ id, config }) => {
      const { hostname, port, protocol } = new URL(config.apiBaseUrl);
      const host = hostname.replace(/^\[(.*)\]$/, '$1');
      const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
      const problem = await tryConnect(host, number);
      if (problem === undefined) return;
      const message = `target ${id} at ${hostname}:${String(number)} cannot be reached: ${problem}`;
      throw new HaltlineError('TARGET_UNREACHABLE', message, { retryable: true });
    }),
  );
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused; is the server running?',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name cannot be looked up',
};

/** @returns why there is no connection, or undefined when there is */
async function tryConnect(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (problem?: string): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(CONNECT_MS, () => end(`no answer within ${String(CONNECT_MS / 1_000)} s`));
    socket.once('connect', () => end());
    socket.once('error', (error: NodeJS.ErrnoException) => end(reasons[error.code ?? ''] ?? error.message));
  });
}
