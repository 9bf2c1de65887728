import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** From the sources this file lies one folder below the root, from a build two. */
function findInRoot(name: string): string {
  const candidates = ['../', '../../'].map((up) => fileURLToPath(new URL(`${up}${name}`, import.meta.url)));
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${name} is missing from the installation`);
  return found;
}

/** Haltline's version. */
export function readVersion(): string {
  const text = readFileSync(findInRoot('package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

/** The command's own file, for processes that it starts. */
export function commandPath(): string {
  return findInRoot('scripts/haltline.mjs');
}

/** The JSON Schema of sweep specs; a build has its own copy. */
export function specSchemaPath(): string {
  return findInRoot('shared/schemas/sweep-spec.schema.json');
}
