import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { HaltlineError } from '../../shared/errors.ts';

/** A longer line is no question, and would have to be held in memory whole. */
const MAX_LINE_BYTES = 1024 * 1024;

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Where it lies in the file, in bytes, its line end left out. */
  readonly offset: number;
  readonly length: number;
}

const NEWLINE = 10;

function missing(path: string, cause: unknown): HaltlineError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
  const reason = code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'is a folder, not a file' : code;
  return new HaltlineError('DATA_MISSING', `data file ${path}: ${reason}`, { cause });
}

/**
 * Reads a UTF-8 file line by line, so that a file of any size is never in memory whole. Blank lines are skipped but
 * counted; a byte order mark and CR LF are accepted.
 *
 * @param maxLineBytes - 1 MiB unless told otherwise
 * @returns the SHA-256 (hex) of the file's bytes, once all lines have been handed to `onLine`
 * @throws HaltlineError DATA_MISSING when the file cannot be read, DATA_INVALID for a longer line or bytes that are
 *   not UTF-8
 */
export async function readLines(
  path: string,
  onLine: (line: Line) => void,
  maxLineBytes = MAX_LINE_BYTES,
): Promise<string> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  let offset = 0;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const take = (bytes: Buffer): void => {
    pending.push(bytes);
    pendingBytes += bytes.length;
    if (pendingBytes <= maxLineBytes) return;
    const bound = `${String(maxLineBytes / 1024 / 1024)} MiB`;
    throw invalidLine(path, number + 1, `longer than ${bound}; expected one JSON object a line`);
  };
  const finish = (): void => {
    number += 1;
    const bytes = Buffer.concat(pending);
    [pending, pendingBytes] = [[], 0];
    const text = decode(decoder, bytes, () => invalidLine(path, number, 'not UTF-8')).trim();
    if (text !== '') onLine({ number, text, offset, length: bytes.length });
    offset += bytes.length + 1;
  };
  try {
    for await (const chunk of createReadStream(path)) {
      const bytes: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      hash.update(bytes);
      let start = 0;
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, start)) {
        take(bytes.subarray(start, at));
        finish();
        start = at + 1;
      }
      take(bytes.subarray(start));
    }
  } catch (error) {
    throw error instanceof HaltlineError ? error : missing(path, error);
  }
  if (pendingBytes > 0) finish();
  return hash.digest('hex');
}

function decode(decoder: TextDecoder, bytes: Buffer, error: () => HaltlineError): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw error();
  }
}

/** "data.jsonl line 7: not JSON": what every complaint about a data file looks like. */
export function invalidLine(path: string, number: number, problem: string, cause?: unknown): HaltlineError {
  return new HaltlineError('DATA_INVALID', `${path} line ${number}: ${problem}`, { cause });
}

/** The value of a JSON line. @throws HaltlineError DATA_INVALID */
export function parseJsonLine(path: string, { number, text }: Pick<Line, 'number' | 'text'>): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (cause) {
    throw invalidLine(path, number, 'not JSON', cause);
  }
}
