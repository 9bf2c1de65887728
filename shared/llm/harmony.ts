import { MarkFinder } from './mark-finder.ts';
import type { SplitText } from './split-text.ts';

/** Marks that a content in harmony markup starts with. */
export const harmonyStarts: readonly string[] = ['<|channel|>', '<|start|>'];

const MESSAGE = '<|message|>';
const CHANNEL = '<|channel|>';
const START = '<|start|>';
const enders = ['<|end|>', '<|return|>', '<|call|>', START, CHANNEL];
const blockMarks = new MarkFinder(enders);
const otherMarks = new MarkFinder([...enders, MESSAGE]);

/**
 * Splits content in gpt-oss ("harmony") markup, when the server parsed none of it (test/cases/README.md, 1.4).
 *
 * `header`: from `<|start|>` or `<|channel|>` up to `<|message|>`, no text. `reasoning`, `final`: a message of a named
 * channel, up to a mark that ends it. `text`: all the rest, which is answer. `final` differs from `text` only in that
 * a `<|message|>` in it is literal.
 */
export class HarmonySplitter {
  private state: 'text' | 'header' | 'reasoning' | 'final' = 'text';
  private readonly text: SplitText;
  private pending = '';
  /** The channel of the header, as far as it has arrived; undefined when it names none. */
  private channel: string | undefined;

  constructor(text: SplitText) {
    this.text = text;
  }

  push(piece: string): void {
    this.pending += piece;
    let mark: string | undefined;
    do {
      const search = this.marks().search(this.pending);
      this.add(this.pending.slice(0, search.at));
      mark = search.mark;
      this.pending = this.pending.slice(search.at + (mark?.length ?? 0));
      if (mark !== undefined) this.pass(mark);
    } while (mark !== undefined);
  }

  end(): void {
    this.add(this.pending);
    this.pending = '';
  }

  private marks(): MarkFinder {
    return this.state === 'reasoning' || this.state === 'final' ? blockMarks : otherMarks;
  }

  private add(text: string): void {
    if (this.state === 'reasoning') this.text.addReasoning(text);
    else if (this.state !== 'header') this.text.addAnswer(text);
    else if (this.channel !== undefined) this.channel += text;
  }

  private pass(mark: string): void {
    if (this.state === 'reasoning') this.text.endBlock();
    if (mark === MESSAGE) this.state = this.state === 'header' ? this.messageState() : 'text';
    else this.state = mark === START || mark === CHANNEL ? 'header' : 'text';
    this.channel = mark === CHANNEL ? '' : undefined;
  }

  private messageState(): 'text' | 'reasoning' | 'final' {
    // `final<|constrain|>json` names the channel as `final json` does.
    const name = this.channel?.trim().split(/[\s<]/, 1)[0] ?? '';
    if (name === '') return 'text';
    return name === 'final' ? 'final' : 'reasoning';
  }
}
