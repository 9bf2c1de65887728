import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type HaltlineProcess, startHaltline as start } from '../../scripts/start-haltline.ts';
import { type RunLine, runLineSchema } from '../../shared/schemas/run-result.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where the public data sets stand, if they do. */
export const dataDir = process.env['HALTLINE_DATA_DIR'] ?? join(root, '..', 'shared', 'data');
export const hasData = existsSync(join(dataDir, 'questions', 'gsm8k_test.jsonl'));

export type { HaltlineProcess };

/** Starts `haltline ARGS` as a process of its own; killed after the test if it still runs. */
export function startHaltline(args: readonly string[], env: NodeJS.ProcessEnv): HaltlineProcess {
  const started = start(args, env);
  onTestFinished(() => started.kill('SIGKILL'));
  return started;
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
