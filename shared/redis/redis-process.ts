import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';

/**
 * Runs a command as long as its parent lives. The parent holds one end of a pipe, which closes with it however it ends,
 * kill -9 included; a reader of the other end then ends the command: politely, and after 3 s by force. Plain POSIX sh, so
 * Linux and macOS alike. All run in a session of their own, so that Ctrl-C in a terminal reaches the parent only, which
 * then closes in its own order.
 *
 * $1: folder to remove at the end, or empty. $2: file for the command's output. Then the command. Prints the command's
 * pid and, should the command end before the pipe does, `ended`; the folder stays until the parent has looked.
 */
const watchdog = `
trap '' PIPE
remove=$1 output=$2; shift 2
exec 3<&0 </dev/null
"$@" 3<&- >"$output" 2>&1 &
server=$!
echo "$server"
(
  cat <&3 >/dev/null
  kill -TERM "$server" 2>/dev/null
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 0.2; kill -0 "$server" 2>/dev/null || exit; done
  kill -KILL "$server" 2>/dev/null
) &
reader=$!
wait "$server"
kill "$reader" 2>/dev/null
echo ended
cat <&3 >/dev/null
[ -z "$remove" ] || rm -rf "$remove"
`;

export interface GuardedProcess {
  readonly pid: number;
  hasEnded(): boolean;
  /** Ends it and waits for its end. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts a command that ends with this process. It does not keep this process alive.
 *
 * @param options - `outputFile` takes the command's output; `removeDir` is removed at its end, whoever ends it
 * @throws Error when no shell can be started
 */
export async function startGuarded(
  command: readonly string[],
  options: { readonly outputFile: string; readonly removeDir?: string },
): Promise<GuardedProcess> {
  const args = ['-c', watchdog, 'haltline-watchdog', options.removeDir ?? '', options.outputFile, ...command];
  const child = spawn('sh', args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  child.stdin.on('error', () => undefined); // the reader is gone: so is the command
  const lines = createInterface({ input: child.stdout });
  const pid = await firstPid(child, lines);
  let ended = false;
  lines.on('line', () => (ended = true)).on('close', () => (ended = true));
  for (const handle of [child, child.stdin, child.stdout]) {
    if (handle instanceof Socket || handle instanceof ChildProcess) handle.unref();
  }
  return {
    pid,
    hasEnded: () => ended,
    stop: async () => {
      child.stdin.end();
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      await once(child, 'exit');
    },
  };
}

async function firstPid(child: ChildProcess, lines: Interface): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    lines.once('line', (line) => resolve(Number(line)));
    lines.once('close', () => reject(new Error('the watchdog ended before it told the pid')));
  });
}
