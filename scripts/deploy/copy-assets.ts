import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folders = ['producers', 'shared', 'workers'] as const;

/**
 * Copies what the compiler leaves behind (built-in questions, prompts) into the build, next to the modules that read it
 * by their own URL.
 *
 * @param root - the project
 * @param dist - the build, laid out as the project
 */
export async function copyAssets(root: string, dist: string): Promise<void> {
  for (const folder of folders) {
    await cp(join(root, folder), join(dist, folder), {
      recursive: true,
      filter: (source) => !source.endsWith('.ts'),
    });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = fileURLToPath(new URL('../../', import.meta.url));
  await copyAssets(join(dist, '..'), dist);
}
