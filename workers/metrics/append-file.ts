import type { FileHandle } from 'node:fs/promises';
import { openUnlinked } from './open-unlinked.ts';

/** A file that grows at its end, and shrinks back when an append fails half-way. */
export class AppendFile {
  readonly #file: FileHandle;
  #size: number;

  private constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /** @throws HaltlineError `FOLDER_UNSAFE` for a symbolic link */
  static async open(path: string, mode: 'append' | 'begin'): Promise<AppendFile> {
    const file = await openUnlinked(path, mode);
    return new AppendFile(file, (await file.stat()).size);
  }

  /** Bytes that this writer knows of. */
  get size(): number {
    return this.#size;
  }

  /** Bytes in the file: more than `size` when another process wrote to it. */
  async sizeOnDisk(): Promise<number> {
    return (await this.#file.stat()).size;
  }

  async truncate(size: number): Promise<void> {
    await this.#file.truncate(size);
    this.#size = size;
  }

  /** Appends all of it or, on an error (a full disk), nothing. */
  async append(bytes: Buffer): Promise<void> {
    const before = await this.sizeOnDisk();
    try {
      await this.#file.appendFile(bytes);
    } catch (error) {
      await this.#file.truncate(before);
      throw error;
    }
    this.#size = before + bytes.length;
  }

  async sync(): Promise<void> {
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
