/** `npm run bench -- NAME ...`: runs scripts/bench/NAME.ts with the rest of the arguments. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [name = '', ...args] = process.argv.slice(2);
const file = join(import.meta.dirname, `${name}.ts`);
if (!/^[a-z-]+$/.test(name) || name === 'main' || !existsSync(file)) {
  const names = readdirSync(import.meta.dirname).map((entry) => entry.replace(/\.ts$/, ''));
  process.stderr.write(
    `usage: npm run bench -- NAME; NAME is one of ${names.filter((one) => one !== 'main').join(', ')}\n`,
  );
  process.exitCode = 1;
} else {
  process.argv.splice(1, process.argv.length, file, ...args);
  await import(pathToFileURL(file).href);
}
