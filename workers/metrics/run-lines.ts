import { createReadStream } from 'node:fs';
import { type RunLine, runLineSchema } from '../../shared/schemas/run-result.ts';

const newline = 0x0a;

/** What stands in one line of `runs.jsonl`; `line` is undefined where it can't be read. */
export interface ReadLine {
  readonly line: RunLine | undefined;
  /** Byte offset behind its newline. */
  readonly end: number;
}

/**
 * Reads a file of run lines piece by piece. Empty lines are passed over (a writer sets one where another may have left
 * a torn line); a last line without a newline is torn, and not read.
 */
export async function* readRunLines(path: string): AsyncGenerator<ReadLine> {
  let parts: Buffer[] = [];
  let offset = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    let from = 0;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      parts.push(bytes.subarray(from, at));
      const text = Buffer.concat(parts);
      parts = [];
      from = at + 1;
      if (text.length > 0) yield { line: parseRunLine(text.toString('utf8')), end: offset + from };
    }
    if (from < bytes.length) parts.push(bytes.subarray(from));
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
