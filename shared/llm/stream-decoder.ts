import type { TargetSpec } from '../schemas/sweep-spec.ts';
import { BodySniffer } from './body-sniffer.ts';
import { completionText, readChoices } from './chat-deltas.ts';
import { readHttpError, type ResponseHeaders } from './http-error.ts';
import { readErrorLine, readInBandError } from './in-band-error.ts';
import { isJsonObject, parseJson, type JsonObject } from './json-value.ts';
import { ReplyText, type ReplyTexts } from './reply-text.ts';
import { ResponsesDeltas } from './responses-deltas.ts';
import type { DeltaHandler } from './split-text.ts';
import { SsePayloads, type PayloadSink } from './sse-payloads.ts';
import { streamError, type StreamError } from './stream-error.ts';
import { streamStatus, type BodyEnd, type StreamStatus } from './stream-status.ts';
import { readUsage, type Usage } from './usage.ts';

export const DEFAULT_MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Of the body of an HTTP error only the error's type is of interest. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;

export interface DecoderOptions {
  readonly api: TargetSpec['config']['api'];
  readonly think: TargetSpec['think'];
  readonly harmony: TargetSpec['harmony'];
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Size of a line, event or document that ends the stream as `event_too_large`. */
  readonly maxEventBytes?: number;
}

/** What a response came to. `error` is set exactly when `status` is `failed`; text received before it is kept. */
export interface DecodedReply extends ReplyTexts {
  readonly status: StreamStatus;
  /** As sent; null when none arrived. */
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  readonly error: StreamError | null;
}

/**
 * The bytes of one response body to text: pure, incremental, and the same however the bytes are cut
 * (test/cases/README.md, section 1). Feed it until `isOver` or the body ends, then call `end` once.
 */
export class StreamDecoder {
  /** Nothing that follows counts: the reader can close the connection. */
  isOver = false;
  /** Payloads seen, keep-alives left out: what counts as progress. */
  payloadCount = 0;
  finishReason: string | null = null;

  private readonly options: DecoderOptions;
  private readonly maxEventBytes: number;
  private readonly reply: ReplyText;
  private readonly responses: ResponsesDeltas;
  private readonly sniffer = new BodySniffer();
  private readonly payloads: SsePayloads;
  private readonly document: Buffer[] = [];
  private documentBytes = 0;
  private usage: Usage | null = null;
  private error: StreamError | null = null;
  private sawDone = false;
  private isNoEventStream = false;

  constructor(options: DecoderOptions, onDelta: DeltaHandler) {
    this.options = options;
    this.maxEventBytes = options.maxEventBytes ?? DEFAULT_MAX_EVENT_BYTES;
    const { think, harmony } = options;
    const settings =
      options.api === 'responses' ? ({ think: 'off', harmony: false } as const) : { think, harmony };
    this.reply = new ReplyText(settings, onDelta);
    this.responses = new ResponsesDeltas(this.reply);
    this.payloads = new SsePayloads(this.createSink(), { maxEventBytes: this.maxEventBytes });
  }

  push(bytes: Buffer): void {
    if (this.isOver) return;
    const rest = this.sniffer.push(bytes);
    if (this.isHttpError() || this.sniffer.kind === 'document') this.keepDocument(rest);
    else this.payloads.push(rest);
  }

  end(bodyEnd: BodyEnd): DecodedReply {
    if (!this.isOver) this.push(this.sniffer.end());
    if (!this.isOver) this.endBody();
    this.stop();
    const texts = this.reply.end();
    const { status, error } = streamStatus({
      error: this.error,
      isNoEventStream: this.isNoEventStream,
      finishReason: this.finishReason,
      sawDone: this.sawDone,
      isEmpty: texts.reasoning === '' && texts.answer === '' && texts.refusal === null,
      bodyEnd,
    });
    return { ...texts, status, error, finishReason: this.finishReason, usage: this.usage };
  }

  private createSink(): PayloadSink {
    return {
      onPayload: (value, eventName) => {
        this.payloadCount++;
        if (isJsonObject(value)) this.readPayload(value, eventName);
      },
      onErrorLine: (value) => this.fail(readErrorLine(value)),
      onMalformed: () => this.fail(streamError('malformed_event', { retryable: true })),
      onOversized: () => this.fail(streamError('event_too_large', { retryable: false })),
      onDone: () => {
        this.sawDone = true;
        this.stop();
      },
    };
  }

  private readPayload(payload: JsonObject, eventName: string): void {
    const isResponsesApi = this.options.api === 'responses';
    const error = readInBandError(payload, { eventName, isResponsesApi });
    if (error !== null) {
      this.fail(error);
      return;
    }
    this.usage = readUsage(payload) ?? this.usage;
    const reason = isResponsesApi ? this.responses.read(payload) : this.readChunk(payload);
    if (reason === '') return;
    this.finishReason = reason;
    if (isResponsesApi) this.stop();
  }

  private readChunk(payload: JsonObject): string {
    return readChoices(payload, this.reply, this.options.api === 'completions' ? 'text' : 'delta');
  }

  private fail(error: StreamError): void {
    this.error ??= error;
    this.stop();
  }

  private stop(): void {
    this.isOver = true;
    this.payloads.close();
  }

  private isHttpError(): boolean {
    return this.options.status >= 400;
  }

  private keepDocument(bytes: Buffer): void {
    this.document.push(bytes);
    this.documentBytes += bytes.length;
    if (this.isHttpError()) {
      if (this.documentBytes > MAX_ERROR_BODY_BYTES) this.endBody();
    } else if (this.documentBytes > this.maxEventBytes) {
      this.fail(streamError('event_too_large', { retryable: false }));
    }
  }

  private endBody(): void {
    const { status, headers } = this.options;
    if (this.isHttpError()) {
      this.fail(readHttpError(status, headers, this.documentText()));
    } else if (this.sniffer.kind === 'document') {
      this.isNoEventStream = !this.readDocument();
    } else {
      this.payloads.end();
      this.isNoEventStream = this.sniffer.kind === 'lines' && !this.payloads.sawEventStream;
    }
  }

  private documentText(): string {
    const bytes = Buffer.concat(this.document);
    return bytes.toString('utf8', 0, this.isHttpError() ? MAX_ERROR_BODY_BYTES : bytes.length);
  }

  /** A JSON document in place of a stream: an error, or a completion, which is one big delta (rule 10). */
  private readDocument(): boolean {
    const value = parseJson(this.documentText());
    if (!isJsonObject(value)) return false;
    const error = readInBandError(value, { eventName: '', isResponsesApi: false });
    if (error !== null) {
      this.fail(error);
      return true;
    }
    const choiceText = completionText(value);
    if (choiceText === undefined) return false;
    this.usage = readUsage(value);
    this.finishReason = readChoices(value, this.reply, choiceText) || null;
    return true;
  }
}
