const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const BLANKS = new Set([9, 10, 11, 12, 13, 32]);
const DOCUMENT_STARTS = new Set([0x7b, 0x3c]);

/** What a body is by its first non-blank byte: a JSON or HTML document (`{`, `<`), or lines. */
export type BodyKind = 'blank' | 'document' | 'lines';

/** Drops one leading byte order mark and tells what kind of body follows (test/cases/README.md, 1.3, rules 1, 10). */
export class BodySniffer {
  kind: BodyKind = 'blank';
  /** First bytes that may still become a byte order mark; undefined once that is settled. */
  private head: Buffer | undefined = Buffer.alloc(0);

  /** The bytes to read on, without the mark; empty while that is not settled. */
  push(bytes: Buffer): Buffer {
    const rest = this.head === undefined ? bytes : this.dropMark(Buffer.concat([this.head, bytes]));
    if (this.kind === 'blank') this.kind = kindOf(rest);
    return rest;
  }

  /** The bytes still held back when the body ends. */
  end(): Buffer {
    const rest = this.head ?? Buffer.alloc(0);
    this.head = undefined;
    if (this.kind === 'blank') this.kind = kindOf(rest);
    return rest;
  }

  private dropMark(head: Buffer): Buffer {
    if (head.length < BYTE_ORDER_MARK.length && BYTE_ORDER_MARK.subarray(0, head.length).equals(head)) {
      this.head = head;
      return Buffer.alloc(0);
    }
    this.head = undefined;
    return head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
      ? head.subarray(BYTE_ORDER_MARK.length)
      : head;
  }
}

function kindOf(bytes: Buffer): BodyKind {
  const first = bytes.find((byte) => !BLANKS.has(byte));
  if (first === undefined) return 'blank';
  return DOCUMENT_STARTS.has(first) ? 'document' : 'lines';
}
