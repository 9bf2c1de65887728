import { createReadStream } from 'node:fs';
import { type RunLine, runLineSchema } from '../../shared/schemas/run-result.ts';

const newline = 0x0a;
/** Many times what a job may hold, which is most of its line; a longer line was not written by a metrics worker. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** What stands in one line of `runs.jsonl`; `line` is undefined where it can't be read. */
export interface ReadLine {
  readonly line: RunLine | undefined;
  /** Byte offset behind its newline. */
  readonly end: number;
}

/**
 * Reads a file of run lines piece by piece. Empty lines are passed over (a writer sets one where another may have left
 * a torn line); a last line without a newline is torn, and not read. A line of more than `maxLineBytes` can't be read,
 * and no more of it than that is held.
 */
export async function* readRunLines(
  path: string,
  { maxLineBytes = MAX_LINE_BYTES }: { maxLineBytes?: number } = {},
): AsyncGenerator<ReadLine> {
  let [parts, length]: [Buffer[], number] = [[], 0];
  let offset = 0;
  const take = (piece: Buffer): void => {
    length += piece.length;
    if (length > maxLineBytes) parts = [];
    else parts.push(piece);
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    let from = 0;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      take(bytes.subarray(from, at));
      const text = length > maxLineBytes ? undefined : Buffer.concat(parts);
      const isEmpty = length === 0;
      [parts, length] = [[], 0];
      from = at + 1;
      if (!isEmpty) yield { line: text && parseRunLine(text.toString('utf8')), end: offset + from };
    }
    if (from < bytes.length) take(bytes.subarray(from));
    offset += bytes.length;
  }
}

function parseRunLine(text: string): RunLine | undefined {
  try {
    return runLineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
