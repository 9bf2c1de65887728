import { writeFile } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { builtInPath } from '../../producers/datasets/load-questions.ts';
import { HaltlineError } from '../../shared/errors.ts';
import { commandLine } from '../command-line.ts';
import { specSchemaPath } from '../package-root.ts';
import { buildStarterSpec, simulatedPort } from '../starter-spec.ts';

export interface InitFlags {
  readonly simulated: boolean;
  readonly force: boolean;
}

/** Writes a first spec and says what to do with it. @throws HaltlineError CONFIG_INVALID when it cannot be written */
export async function init(file: string, { simulated, force }: InitFlags): Promise<void> {
  const schemaPath = relative(dirname(resolve(file)), specSchemaPath()).replaceAll(sep, '/');
  const spec = buildStarterSpec(process.env, { schemaPath, simulated });
  try {
    await writeFile(file, spec, { flag: force ? 'w' : 'wx' });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new HaltlineError('CONFIG_INVALID', `${file}: ${reasons[code] ?? code}`, { cause });
  }
  const simulator = ['simulate', '--port', simulatedPort, '--tokens-per-second', '200', '--answer-files'];
  const next = [
    ...(simulated
      ? [`${commandLine([...simulator, builtInPath('arithmetic')])}   # in another terminal`]
      : []),
    commandLine(['validate', file]),
    commandLine(['run', file, '--limit', '2']),
    commandLine(['run', file]),
  ];
  process.stdout.write(`wrote ${file}; next:\n${next.map((line) => `  ${line}\n`).join('')}`);
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'exists already; --force overwrites it',
  EISDIR: 'is a folder, expected a file to write',
  ENOENT: 'its folder does not exist',
  EACCES: 'may not be written',
};
