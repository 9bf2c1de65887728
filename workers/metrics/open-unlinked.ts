import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { HaltlineError } from '../../shared/errors.ts';

/** `append` goes on with a file or makes it; `begin` makes one that isn't there; `cut` shortens one that is. */
const modes = {
  append: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT,
  begin: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
  cut: constants.O_WRONLY,
};

/**
 * Opens a file of a sweep folder for writing, but never what a symbolic link leads to: a folder may come from somebody
 * else, and whoever may write into it must not choose what this process overwrites.
 *
 * @throws HaltlineError `FOLDER_UNSAFE` for a link
 */
export async function openUnlinked(path: string, mode: keyof typeof modes): Promise<FileHandle> {
  try {
    // On Windows, where there is no such flag, it is `undefined`: the others stay as they are.
    return await open(path, modes[mode] | constants.O_NOFOLLOW, 0o666);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ELOOP')) throw cause;
    const message = `${path} is a symbolic link: results are not written through it`;
    throw new HaltlineError('FOLDER_UNSAFE', message, { cause });
  }
}
