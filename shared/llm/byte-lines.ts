const LF = 10;
const CR = 13;

/**
 * Cuts bytes into lines, however the bytes arrive: LF, CRLF and CR end a line. Works on bytes, since no multi-byte
 * UTF-8 character holds a line end: each line is then decoded whole, and a character cut by a write is whole again.
 * Time is linear in the bytes, for one-byte writes too; memory is the longest line.
 */
export class ByteLines {
  private readonly onLine: (line: string) => void;
  private readonly maxLineBytes: number;
  /** Bytes of a line that has not ended, at the start of a buffer that doubles. */
  private tail = Buffer.allocUnsafe(256);
  private tailLength = 0;
  private afterCr = false;
  /** Set for good once a line is longer than allowed; nothing is read from then on. */
  overflowed = false;

  constructor(options: { onLine: (line: string) => void; maxLineBytes: number }) {
    this.onLine = options.onLine;
    this.maxLineBytes = options.maxLineBytes;
  }

  push(bytes: Buffer): void {
    let start = 0;
    let nextCr = bytes.indexOf(CR);
    while (start < bytes.length && !this.overflowed) {
      if (this.afterCr) {
        this.afterCr = false;
        if (bytes[start] === LF) {
          start++;
          continue;
        }
      }
      if (nextCr !== -1 && nextCr < start) nextCr = bytes.indexOf(CR, start);
      const nextLf = bytes.indexOf(LF, start);
      const isCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const end = isCr ? nextCr : nextLf;
      if (end === -1) {
        this.keep(bytes.subarray(start));
        return;
      }
      this.afterCr = isCr;
      this.endLine(bytes, start, end);
      start = end + 1;
    }
  }

  /** The bytes of a last line without a line end, decoded; undefined when the last line had one. */
  takeUnterminated(): string | undefined {
    if (this.tailLength === 0) return undefined;
    const line = this.tail.toString('utf8', 0, this.tailLength);
    this.tailLength = 0;
    return line;
  }

  private endLine(bytes: Buffer, start: number, end: number): void {
    if (this.tailLength === 0) {
      if (end - start > this.maxLineBytes) this.overflowed = true;
      else this.onLine(bytes.toString('utf8', start, end));
      return;
    }
    this.keep(bytes.subarray(start, end));
    const line = this.takeUnterminated();
    if (!this.overflowed && line !== undefined) this.onLine(line);
  }

  private keep(bytes: Buffer): void {
    const length = this.tailLength + bytes.length;
    if (length > this.maxLineBytes) {
      this.overflowed = true;
      return;
    }
    if (length > this.tail.length) {
      const larger = Buffer.allocUnsafe(2 * length);
      this.tail.copy(larger, 0, 0, this.tailLength);
      this.tail = larger;
    }
    bytes.copy(this.tail, this.tailLength);
    this.tailLength = length;
  }
}
