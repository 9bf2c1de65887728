import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';

/** The specifier of a static import, of a re-export, or of a call of `import` or `require` with plain text. */
const specifierPattern =
  /(?:\bfrom|\bimport|\bimport\(|\brequire\()[ \t\r\n]{0,20}(["'])(\.{1,2}\/[^"'\n]{1,500})\1/g;

/** The file that is meant; undefined where there is none, as when the text is no import but looks like one. */
function resolved(from: string, specifier: string): string | undefined {
  try {
    return createRequire(from).resolve(specifier);
  } catch {
    return undefined;
  }
}

/**
 * The SHA-256 of a module and of every file that it imports by a relative path, and those in turn, hex. A module that
 * imports none has its own bytes' hash. Packages, and paths that are put together when the module runs, don't count.
 *
 * @param bytes - of the module itself
 * @throws what reading an imported file throws
 */
export async function hashModule(file: string, bytes: Buffer): Promise<string> {
  const files = new Map([[file, bytes]]);
  for (const [path, content] of files) {
    for (const [, , specifier = ''] of content.toString('utf8').matchAll(specifierPattern)) {
      const imported = resolved(path, specifier);
      if (imported !== undefined && !files.has(imported)) files.set(imported, await readFile(imported));
    }
  }
  const hash = createHash('sha256').update(bytes);
  const others = [...files]
    .slice(1)
    .map(([path, content]) => ({ name: relative(dirname(file), path), content }));
  for (const { name, content } of others.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    hash.update(`\0${name}\0${content.length}\0`).update(content);
  return hash.digest('hex');
}
