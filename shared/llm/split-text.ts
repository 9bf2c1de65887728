/** A piece of text as it arrives: `content` is answer text as far as is known by then. */
export interface StreamDelta {
  readonly kind: 'reasoning' | 'content';
  readonly text: string;
}
export type DeltaHandler = (delta: StreamDelta) => void;

/**
 * The two texts of a reply, as they grow: reasoning in blocks, and answer. Each piece goes to `onDelta` as it is
 * added, once; between two blocks of reasoning that is a blank line, so that what was delivered reads like the result.
 */
export class SplitText {
  answer = '';
  private readonly blocks: string[] = [];
  private block = '';
  private owesBreak = false;
  private readonly onDelta: DeltaHandler;

  constructor(onDelta: DeltaHandler) {
    this.onDelta = onDelta;
  }

  addReasoning(text: string): void {
    if (text === '') return;
    if (this.owesBreak) this.onDelta({ kind: 'reasoning', text: '\n\n' });
    this.owesBreak = false;
    this.block += text;
    this.onDelta({ kind: 'reasoning', text });
  }

  addAnswer(text: string): void {
    if (text === '') return;
    this.answer += text;
    this.onDelta({ kind: 'content', text });
  }

  /** Ends the current block of reasoning: what comes next is another one. */
  endBlock(): void {
    if (this.block === '') return;
    this.blocks.push(this.block);
    this.block = '';
    this.owesBreak = true;
  }

  /** The answer so far was reasoning after all. It was delivered as content and is not delivered again. */
  turnAnswerIntoReasoning(): void {
    this.blocks.push(this.answer);
    this.answer = '';
    this.owesBreak = true;
  }

  /** Blocks of reasoning in order, the open one included. */
  reasoningBlocks(): readonly string[] {
    return [...this.blocks, this.block];
  }
}

/** Blocks of reasoning as one text: each trimmed, empty ones left out, a blank line between them. */
export function joinBlocks(blocks: readonly string[]): string {
  return blocks
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .join('\n\n');
}
