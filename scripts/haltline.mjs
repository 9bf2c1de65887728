#!/usr/bin/env node
// The `haltline` command. From a clone it installs what is missing and runs the TypeScript sources; from a build
// (the container image) it runs dist/.
import { existsSync } from 'node:fs';
import { ensureDependencies } from './with-dependencies.mjs';

const built = new URL('../dist/scripts/haltline.js', import.meta.url);
if (existsSync(built)) {
  await import(built);
} else {
  ensureDependencies();
  const { register } = await import('tsx/esm/api');
  register();
  await import('./haltline.ts');
}
