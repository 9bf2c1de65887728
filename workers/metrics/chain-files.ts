import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ChainRecord, RunLine } from '../../shared/schemas/run-result.ts';
import { AppendFile } from './append-file.ts';
import { openUnlinked } from './open-unlinked.ts';

const compress = promisify(gzip);
const namePattern = /^chains-(\d{3,})\.jsonl\.gz$/;
/** A full file is followed by the next number. */
const rollOverBytes = 256 * 1024 * 1024;

/**
 * Writes `chains-NNN.jsonl.gz`: a gzip member a batch, a line a run. Each writer begins a file of its own, so that one
 * that lost its lease without knowing can't move the offsets of the next.
 */
export class ChainWriter {
  readonly #dir: string;
  readonly #rollOverBytes: number;
  #next: number;
  #current: { file: AppendFile; name: string } | undefined;

  private constructor(dir: string, next: number, rollOver: number) {
    this.#dir = dir;
    this.#next = next;
    this.#rollOverBytes = rollOver;
  }

  static async open(dir: string, options: { rollOverBytes?: number } = {}): Promise<ChainWriter> {
    const numbers = (await chainFiles(dir)).map(({ number }) => number);
    return new ChainWriter(dir, Math.max(-1, ...numbers) + 1, options.rollOverBytes ?? rollOverBytes);
  }

  /** @returns where the member of these records stands; it is on disk after `sync` */
  async append(records: readonly ChainRecord[]): Promise<RunLine['chain']> {
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    // Level 1: half the time of the default for a fifth more bytes, and the batch waits for it. A member a run instead
    // of a member a batch: twice the bytes.
    const member = await compress(text, { level: 1 });
    const { file, name } = await this.#open();
    await file.append(member);
    return { file: name, offset: file.size - member.length, length: member.length };
  }

  async sync(): Promise<void> {
    await this.#current?.file.sync();
  }

  async close(): Promise<void> {
    await this.#current?.file.close();
    this.#current = undefined;
  }

  async #open(): Promise<{ file: AppendFile; name: string }> {
    if (this.#current !== undefined && this.#current.file.size < this.#rollOverBytes) return this.#current;
    await this.sync();
    await this.close();
    const name = `chains-${String(this.#next).padStart(3, '0')}.jsonl.gz`;
    this.#next += 1;
    this.#current = { file: await AppendFile.open(join(this.#dir, name), 'begin'), name };
    return this.#current;
  }
}

/**
 * Cuts what a dying writer left at the end of the newest chain file: bytes that no line names.
 *
 * @param ends - by file name, the end of the last member that a line names
 */
export async function cutTornChains(dir: string, ends: ReadonlyMap<string, number>): Promise<void> {
  const newest = (await chainFiles(dir)).at(-1);
  if (newest === undefined) return;
  const end = ends.get(newest.name) ?? 0;
  const file = await openUnlinked(join(dir, newest.name), 'cut');
  try {
    if ((await file.stat()).size > end) await file.truncate(end);
  } finally {
    await file.close();
  }
}

/** By number, the newest last. */
async function chainFiles(dir: string): Promise<{ name: string; number: number }[]> {
  return (await readdir(dir))
    .flatMap((name) => {
      const number = namePattern.exec(name)?.[1];
      return number === undefined ? [] : [{ name, number: Number(number) }];
    })
    .sort((a, b) => a.number - b.number);
}
