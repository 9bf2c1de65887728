import { ByteLines } from './byte-lines.ts';
import { isJsonObject, notJson, parseJson, type JsonObject } from './json-value.ts';
import { JsonObjectScan } from './json-object-scan.ts';

/** What a stream of server-sent events is made of, in order of arrival. */
export interface PayloadSink {
  /** A payload that is JSON; `eventName` is the `event` field before it, or `''`. */
  onPayload(value: unknown, eventName: string): void;
  /** The value of an `error` field line, `notJson` when it is not JSON; or an object whose event was named later. */
  onErrorLine(value: unknown): void;
  /** A complete payload that is not JSON. */
  onMalformed(): void;
  /** A line or payload over the size limit. */
  onOversized(): void;
  /** A payload that starts with `[DONE]`. */
  onDone(): void;
}

/**
 * Bytes of an event stream to its payloads (test/cases/README.md, 1.3, rules 1 to 8), incremental and in linear time.
 *
 * A payload is handed on as soon as its last line has ended, before the blank line: servers that end events with a
 * single newline would stay silent else. The owner calls `close()` once nothing after this point counts.
 */
export class SsePayloads {
  /** Whether any line was a comment or had a field name of an event stream (rule 10). */
  sawEventStream = false;
  private readonly sink: PayloadSink;
  private readonly maxEventBytes: number;
  private readonly lines: ByteLines;
  private closed = false;
  private eventName = '';
  /** Data lines that are no payload yet, their length, and where the object that they may be ends. */
  private collected: string[] = [];
  private collectedLength = 0;
  private scan = new JsonObjectScan();
  /** The last object of the current event, for an event that is named `error` only after its data. */
  private lastObject: JsonObject | undefined;

  constructor(sink: PayloadSink, options: { maxEventBytes: number }) {
    this.sink = sink;
    this.maxEventBytes = options.maxEventBytes;
    this.lines = new ByteLines({
      onLine: (line) => {
        if (!this.closed) this.readLine(line, true);
      },
      maxLineBytes: options.maxEventBytes,
    });
  }

  push(bytes: Buffer): void {
    if (this.closed) return;
    this.lines.push(bytes);
    if (this.lines.overflowed) this.reportOversized();
  }

  /** The body is over: a pending line or event counts, unless it is a payload that was cut (rule 4). */
  end(): void {
    const line = this.lines.takeUnterminated();
    if (line !== undefined && !this.closed) this.readLine(line, false);
    if (!this.closed) this.endEvent(false);
  }

  close(): void {
    this.closed = true;
  }

  private reportOversized(): void {
    if (this.closed) return;
    this.close();
    this.sink.onOversized();
  }

  private readLine(line: string, isTerminated: boolean): void {
    if (line === '') {
      this.endEvent(true);
      return;
    }
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
    if (name === 'data') this.readData(value);
    else if (name === 'event') this.eventName = value;
    else if (name === 'error') this.readError(value, isTerminated);
    else if (name !== '' && name !== 'id' && name !== 'retry') return;
    this.sawEventStream = true;
  }

  private readError(text: string, isTerminated: boolean): void {
    const value = parseJson(text);
    if (isTerminated || value !== notJson) this.sink.onErrorLine(value);
  }

  private readData(value: string): void {
    if (this.collected.length === 0) {
      if (value.trimStart().startsWith('{') && this.tryObject(value)) return;
      if (value.startsWith(':') || value.trim() === '') return;
      if (value.startsWith('[DONE]')) {
        this.sink.onDone();
        return;
      }
    }
    this.collect(value);
  }

  private collect(line: string): void {
    this.collected.push(line);
    this.collectedLength += line.length + 1;
    if (this.collectedLength > this.maxEventBytes) {
      this.reportOversized();
      return;
    }
    const wasOpen = this.scan.state === 'open';
    this.scan.push(line);
    // A first line that closes by itself was tried before it was collected.
    if (wasOpen && this.scan.state === 'closed' && this.collected.length > 1) {
      if (this.tryObject(this.collected.join('\n'))) this.forgetCollected();
    }
  }

  private tryObject(text: string): boolean {
    const value = parseJson(text);
    if (!isJsonObject(value)) return false;
    this.lastObject = this.eventName === 'error' ? undefined : value;
    this.sink.onPayload(value, this.eventName);
    return true;
  }

  private endEvent(isTerminated: boolean): void {
    if (this.collected.length > 0) this.endCollected(isTerminated);
    else if (this.eventName === 'error' && this.lastObject !== undefined)
      this.sink.onErrorLine(this.lastObject);
    this.eventName = '';
    this.lastObject = undefined;
  }

  private endCollected(isTerminated: boolean): void {
    const value = parseJson(this.collected.join('\n'));
    this.forgetCollected();
    if (value !== notJson) this.sink.onPayload(value, this.eventName);
    else if (isTerminated) this.sink.onMalformed();
  }

  private forgetCollected(): void {
    this.collected = [];
    this.collectedLength = 0;
    this.scan = new JsonObjectScan();
  }
}
