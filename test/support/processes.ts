import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type RunLine, runLineSchema } from '../../shared/schemas/run-result.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const command = join(root, 'scripts', 'haltline.mjs');

/** Where the public data sets stand, if they do. */
export const dataDir = process.env['HALTLINE_DATA_DIR'] ?? join(root, '..', 'shared', 'data');
export const hasData = existsSync(join(dataDir, 'questions', 'gsm8k_test.jsonl'));

export interface HaltlineProcess {
  readonly child: ChildProcess;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts `haltline ARGS` as a process of its own; killed after the test if it still runs. */
export function startHaltline(args: readonly string[], env: NodeJS.ProcessEnv): HaltlineProcess {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: root,
    env: { ...process.env, CI: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out: string[] = [];
  const err: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text));
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    child,
    stdout: () => out.join(''),
    stderr: () => err.join(''),
    ended: once(child, 'close').then(() => child.exitCode ?? child.signalCode ?? 'unknown'),
    kill: (signal) => void child.kill(signal),
  };
}

/** A folder of this test's own, removed after it. */
export async function temporaryFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'haltline-test-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export async function writeSpec(dir: string, spec: object): Promise<string> {
  const path = join(dir, 'sweep.json');
  await writeFile(path, JSON.stringify(spec));
  return path;
}

/** The whole lines of a `runs.jsonl`; none while there is no such file. A line being written is left out. */
export async function readRunLines(path: string): Promise<RunLine[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => runLineSchema.parse(JSON.parse(line)));
}
