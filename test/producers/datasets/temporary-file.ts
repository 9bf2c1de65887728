import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A file that lives as long as the test. */
export async function temporaryFile(content: string | Buffer, name = 'data.jsonl'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'haltline-data-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}
