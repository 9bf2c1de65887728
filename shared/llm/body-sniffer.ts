const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const LF = 10;
const CR = 13;
const INDENT = Buffer.from(' ');
const BLANKS = new Set([9, LF, 11, 12, CR, 32]);
const DOCUMENT_STARTS = new Set([0x7b, 0x3c]);

/** What a body is by its first non-blank byte: a JSON or HTML document (`{`, `<`), or lines. */
export type BodyKind = 'blank' | 'document' | 'lines';

/**
 * Drops one leading byte order mark and all leading blanks, and tells what kind of body follows
 * (test/cases/README.md, 1.3, rules 1 and 10). An indented first line stays indented, by one space: it is no field.
 */
export class BodySniffer {
  kind: BodyKind = 'blank';
  /** First bytes that may still become a byte order mark; undefined once that is settled. */
  private head: Buffer | undefined = Buffer.alloc(0);
  private isIndented = false;

  /** The bytes to read on; empty while the kind is not settled. */
  push(bytes: Buffer): Buffer {
    const rest = this.head === undefined ? bytes : this.dropMark(Buffer.concat([this.head, bytes]));
    return this.kind === 'blank' ? this.dropBlanks(rest) : rest;
  }

  /** The bytes still held back when the body ends. */
  end(): Buffer {
    const rest = this.head ?? Buffer.alloc(0);
    this.head = undefined;
    return rest;
  }

  private dropMark(head: Buffer): Buffer {
    if (head.length < BYTE_ORDER_MARK.length && BYTE_ORDER_MARK.subarray(0, head.length).equals(head)) {
      this.head = head;
      return Buffer.alloc(0);
    }
    this.head = undefined;
    const start = head.subarray(0, BYTE_ORDER_MARK.length);
    return start.equals(BYTE_ORDER_MARK) ? head.subarray(BYTE_ORDER_MARK.length) : head;
  }

  private dropBlanks(bytes: Buffer): Buffer {
    for (const [at, byte] of bytes.entries()) {
      if (BLANKS.has(byte)) {
        this.isIndented = byte !== LF && byte !== CR;
      } else {
        const rest = bytes.subarray(at);
        this.kind = DOCUMENT_STARTS.has(byte) ? 'document' : 'lines';
        return this.kind === 'lines' && this.isIndented ? Buffer.concat([INDENT, rest]) : rest;
      }
    }
    return Buffer.alloc(0);
  }
}
