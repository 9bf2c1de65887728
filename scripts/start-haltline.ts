import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { commandPath } from './package-root.ts';

export interface HaltlineProcess {
  readonly child: ChildProcess;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts `haltline ARGS` as a process of its own, which its caller ends. `logFile` gets what it writes to stderr. */
export function startHaltline(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { logFile }: { logFile?: string } = {},
): HaltlineProcess {
  const child = spawn(process.execPath, [commandPath(), ...args], {
    env: { ...process.env, CI: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out: string[] = [];
  const err: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
  if (logFile === undefined) child.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text));
  else child.stderr.pipe(createWriteStream(logFile, { flags: 'a' }));
  return {
    child,
    stdout: () => out.join(''),
    stderr: () => err.join(''),
    ended: once(child, 'close').then(() => child.exitCode ?? child.signalCode ?? 'unknown'),
    kill: (signal) => void child.kill(signal),
  };
}
