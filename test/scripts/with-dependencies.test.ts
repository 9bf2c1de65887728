import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/processes.ts';

/** A clone without its dependencies, whose `node_modules` leads to a folder with a file in it. */
async function linkedClone(): Promise<{ clone: string; modules: string }> {
  const folder = await temporaryFolder();
  const [clone, modules] = [join(folder, 'clone'), join(folder, 'elsewhere')];
  for (const dir of [join(clone, 'scripts'), modules]) mkdirSync(dir, { recursive: true });
  cpSync('scripts/with-dependencies.mjs', join(clone, 'scripts/with-dependencies.mjs'));
  writeFileSync(join(clone, 'package.json'), '{"name":"clone","version":"0.0.0"}');
  writeFileSync(
    join(clone, 'package-lock.json'),
    '{"name":"clone","version":"0.0.0","lockfileVersion":3,"packages":{"":{"name":"clone","version":"0.0.0"}}}',
  );
  writeFileSync(join(modules, '.package-lock.json'), '{}');
  symlinkSync(modules, join(clone, 'node_modules'));
  return { clone, modules };
}

function runIn(clone: string) {
  const script = join(clone, 'scripts/with-dependencies.mjs');
  return spawnSync(process.execPath, [script, process.execPath, '-e', 'console.log("ran")'], {
    encoding: 'utf8',
  });
}

test('installing through a symbolic link is refused in one line, and empties nothing', async () => {
  const { clone, modules } = await linkedClone();
  utimesSync(join(modules, '.package-lock.json'), 0, 0);
  const { status, stdout, stderr } = runIn(clone);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^haltline: .*node_modules is a symbolic link.*\n$/);
  expect(readdirSync(modules)).toEqual(['.package-lock.json']);
});

test('a link to what is installed already is good enough', async () => {
  const { clone, modules } = await linkedClone();
  const later = Date.now() / 1_000 + 60;
  utimesSync(join(modules, '.package-lock.json'), later, later);
  expect(runIn(clone)).toMatchObject({ status: 0, stdout: 'ran\n' });
});
