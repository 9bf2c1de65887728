import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type ChainRecord, chainRecordSchema, type RunLine } from '../../shared/schemas/run-result.ts';

/** A batch of chains is a few megabytes, or one large chain; what unpacks to more was not written by a metrics worker. */
const MAX_MEMBER_BYTES = 256 * 1024 * 1024;
/** Text of unpacked chains that is kept: neighbours in a plan stand close together in the files. */
const KEPT_CHARACTERS = 64 * 1024 * 1024;

/**
 * Why a run without a monitor cannot be judged again: it failed, so its chain is no whole one; its chain file, or its
 * record in it, is not there; that cannot be read; or it holds other steps than the line says.
 */
export type StoredDrop = 'failed' | 'chainMissing' | 'chainUnreadable' | 'chainPartial';

/** Where a run's chain should be, and what it should hold. */
export type ChainPlace = Pick<RunLine, 'place' | 'runId' | 'steps' | 'chain'>;

/** The gzip members of a folder's chain files, a few of them unpacked at a time. */
export class StoredChains {
  readonly #dir: string;
  /** By file, offset and length, the least recently used first. */
  readonly #kept = new Map<string, readonly string[] | StoredDrop>();
  #characters = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The steps of a run's chain, what was said of them, and the bytes of its record; or why they cannot be used. */
  record({
    chain,
    place,
    runId,
    steps,
  }: ChainPlace): (Pick<ChainRecord, 'steps' | 'verdicts'> & { bytes: number }) | StoredDrop {
    const lines = this.#lines(chain);
    if (typeof lines === 'string') return lines;
    // Records begin with their place; one that does not is found the slow way.
    const text =
      lines.find((line) => line.startsWith(`{"place":${String(place)},`)) ??
      lines.find((line) => parseRecord(line)?.place === place);
    if (text === undefined) return 'chainMissing';
    const record = parseRecord(text);
    if (record?.runId !== runId) return 'chainUnreadable';
    const isWhole = record.steps.length === steps && record.steps.every(({ index }, at) => index === at);
    if (!isWhole) return 'chainPartial';
    return { steps: record.steps, verdicts: record.verdicts, bytes: Buffer.byteLength(text) };
  }

  #lines(chain: RunLine['chain']): readonly string[] | StoredDrop {
    const name = [chain.file, chain.offset, chain.length].join('/');
    const known = this.#kept.get(name);
    const lines = known ?? this.#unpack(chain);
    this.#kept.delete(name);
    this.#kept.set(name, lines);
    if (known === undefined) this.#characters += sizeOf(lines);
    for (const [oldest, others] of this.#kept) {
      if (this.#characters <= KEPT_CHARACTERS || oldest === name) break;
      this.#kept.delete(oldest);
      this.#characters -= sizeOf(others);
    }
    return lines;
  }

  #unpack({ file, offset, length }: RunLine['chain']): readonly string[] | StoredDrop {
    let packed: Buffer;
    try {
      packed = readBytes(join(this.#dir, file), { offset, length });
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'ENOENT'
        ? 'chainMissing'
        : 'chainUnreadable';
    }
    if (packed.length < length) return 'chainPartial';
    try {
      return gunzipSync(packed, { maxOutputLength: MAX_MEMBER_BYTES }).toString('utf8').split('\n');
    } catch {
      return 'chainUnreadable';
    }
  }
}

function sizeOf(lines: readonly string[] | StoredDrop): number {
  return typeof lines === 'string' ? 0 : lines.reduce((sum, { length }) => sum + length, 0);
}

function parseRecord(text: string): ChainRecord | undefined {
  try {
    return chainRecordSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Synchronous, as a plan is. Fewer bytes than asked for where the file ends. */
export function readBytes(path: string, { offset, length }: { offset: number; length: number }): Buffer {
  // Not blocked by a pipe that lies in a file's place.
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const there = Math.max(0, Math.min(length, fstatSync(handle).size - offset));
    const bytes = Buffer.alloc(there);
    return bytes.subarray(0, readSync(handle, bytes, 0, there, offset));
  } finally {
    closeSync(handle);
  }
}
