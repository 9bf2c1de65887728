#!/usr/bin/env node
// The `haltline` command from a clone: installs what is missing and runs the TypeScript sources. The container image
// runs its build, dist/scripts/haltline.js, by itself.
import { ensureDependencies } from './with-dependencies.mjs';

ensureDependencies();
const { register } = await import('tsx/esm/api');
register();
await import('./haltline.ts');
