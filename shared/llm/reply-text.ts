import { ReasoningSplitter, type SplitSettings } from './reasoning-splitter.ts';
import { joinBlocks, SplitText, type DeltaHandler } from './split-text.ts';

/** The text of a reply: reasoning and answer trimmed, the refusal as sent (null: none). */
export interface ReplyTexts {
  readonly reasoning: string;
  readonly answer: string;
  readonly refusal: string | null;
}

/**
 * Gathers the text of one reply, in whatever fields it arrives, and hands each piece on at once. What was handed on
 * as content may turn out to be reasoning later (a closing tag without an opening one) or the other way round
 * (reasoning in a field after text in tags): `end()` has the truth, and what was delivered stays as it was.
 */
export class ReplyText {
  private readonly onDelta: DeltaHandler;
  private readonly settings: SplitSettings;
  private readonly split: SplitText;
  private readonly splitter: ReasoningSplitter;
  private field = '';
  private content = '';
  private refusal = '';
  private mustSplitAgain = false;

  constructor(settings: SplitSettings, onDelta: DeltaHandler) {
    this.settings = settings;
    this.onDelta = onDelta;
    this.split = new SplitText(onDelta);
    this.splitter = new ReasoningSplitter(this.split, settings, { hasFieldReasoning: false });
  }

  /** Whether `addReasoning` has been given any text. */
  get hasReasoning(): boolean {
    return this.field !== '';
  }

  /** Reasoning from a field of its own. */
  addReasoning(text: string): void {
    if (text === '') return;
    if (this.field === '') this.mustSplitAgain = this.splitter.noteFieldReasoning();
    this.field += text;
    this.onDelta({ kind: 'reasoning', text });
  }

  /** Content, which may hold reasoning in tags or channels. */
  addContent(text: string): void {
    if (text === '') return;
    this.content += text;
    this.splitter.push(text);
  }

  addRefusal(text: string): void {
    this.refusal += text;
  }

  /** The reply is over: delivers what was held back, and returns the whole. */
  end(): ReplyTexts {
    this.splitter.end();
    const split = this.mustSplitAgain ? this.splitAgain() : this.split;
    return {
      reasoning: joinBlocks([this.field, ...split.reasoningBlocks()]),
      answer: split.answer.trim(),
      refusal: this.refusal === '' ? null : this.refusal,
    };
  }

  private splitAgain(): SplitText {
    const split = new SplitText(() => undefined);
    const splitter = new ReasoningSplitter(split, this.settings, { hasFieldReasoning: true });
    splitter.push(this.content);
    splitter.end();
    return split;
  }
}
