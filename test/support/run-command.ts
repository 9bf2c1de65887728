import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const command = fileURLToPath(new URL('../../scripts/haltline.mjs', import.meta.url));

export interface RunningCommand {
  readonly child: ChildProcess;
  /** Resolves when standard error holds the text; rejects when the command ends first. */
  said(text: string): Promise<void>;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Starts `haltline` as a person would, in a folder, with nothing of Haltline's own in the environment but what is given. */
export function startCommand(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Readonly<Record<string, string>> },
): RunningCommand {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(HALTLINE_|REDIS_URL|CI$|VITEST)/.test(name),
  );
  const child = spawn(process.execPath, [command, ...args], {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const listener of listeners) listener();
  });
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, stdout, stderr }));
  const said = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const listener = (): void => {
        if (stderr.includes(text)) resolve();
      };
      listeners.add(listener);
      listener();
      void ended.then(() => reject(new Error(`ended without saying ${JSON.stringify(text)}: ${stderr}`)));
    });
  return { child, said, ended };
}

/** A folder of the test's own, holding the files. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'haltline-command-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}
