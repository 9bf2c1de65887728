import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { isNewEnough } from './check-redis.ts';

/** A Redis or Valkey server program that starts on this machine and is new enough. */
export interface RedisProgram {
  readonly path: string;
  /** Folders of shared libraries that it needs beside the system's. */
  readonly libraryPath?: string;
  /** Like `7.0.15`. */
  readonly version: string;
}

const programNames = ['redis-server', 'valkey-server'];

/**
 * The first usable server program of a search path.
 *
 * @param searchPath - in the form of PATH; relative parts are skipped
 * @returns undefined when there is none
 */
export async function findRedisServer(searchPath: string): Promise<RedisProgram | undefined> {
  for (const folder of searchPath.split(delimiter).filter(isAbsolute)) {
    for (const name of programNames) {
      const program = await probeRedisServer(join(folder, name));
      if (program !== undefined) return program;
    }
  }
  return undefined;
}

/**
 * Asks a program for its version, which also shows that its libraries are there.
 *
 * @returns undefined when it is no program, does not start, or is older than Haltline needs
 */
export async function probeRedisServer(
  path: string,
  libraryPath?: string,
): Promise<RedisProgram | undefined> {
  if (!(await isProgram(path))) return undefined;
  try {
    const [command, ...args] = withLibraries([path, '--version'], libraryPath);
    const { stdout } = await promisify(execFile)(command, args, { timeout: 10_000 });
    const version = /\bv=(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
    if (version === undefined || !isNewEnough(version)) return undefined;
    return { path, version, ...(libraryPath === undefined ? {} : { libraryPath }) };
  } catch {
    return undefined; // wrong architecture, a missing library: no use to us, whatever the reason
  }
}

/** The command, run so that it finds its libraries; the rest of the environment is inherited. */
export function withLibraries(
  command: readonly [string, ...string[]],
  libraryPath: string | undefined,
): [string, ...string[]] {
  return libraryPath === undefined ? [...command] : ['env', `LD_LIBRARY_PATH=${libraryPath}`, ...command];
}

/** An empty file is no program, though it may be marked executable: placeholders of broken installs are such files. */
async function isProgram(path: string): Promise<boolean> {
  try {
    const file = await stat(path);
    await access(path, constants.X_OK);
    return file.isFile() && file.size > 0;
  } catch {
    return false;
  }
}
