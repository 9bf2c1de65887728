import type { TargetSpec } from '../schemas/sweep-spec.ts';
import { HarmonySplitter, harmonyStarts } from './harmony.ts';
import { MarkFinder } from './mark-finder.ts';
import type { SplitText } from './split-text.ts';
import { closingTagOf, closingTags, openingTags } from './think-tags.ts';

/** How a target marks reasoning inside its content. */
export type SplitSettings = Pick<TargetSpec, 'think' | 'harmony'>;

const BARE_START = 'analysis';
const bareEnd = new MarkFinder(['assistantfinal']);
const anyTag = new MarkFinder([...openingTags, ...closingTags]);
const anyClosingTag = new MarkFinder(closingTags);
const anyOpeningTag = new MarkFinder(openingTags);
const closingOf = new Map(openingTags.map((tag) => [tag, new MarkFinder([closingTagOf(tag)])]));

/**
 * Splits the content of a reply into reasoning and answer while it arrives (test/cases/README.md, 1.4), in linear
 * time, holding back only what can still become a mark.
 *
 * `start`: nothing but blanks and part of a mark so far. Then one of: `harmony`; `bare` (harmony whose marks were
 * stripped: reasoning up to `assistantfinal`); `block` (inside a think block, up to a closing tag) and `between`
 * (after one: another block or the answer); `undecided` (answer, unless the first tag is a closing one); `literal`
 * (answer for good).
 */
export class ReasoningSplitter {
  private state: 'start' | 'harmony' | 'bare' | 'block' | 'between' | 'undecided' | 'literal' = 'start';
  private readonly text: SplitText;
  private readonly settings: SplitSettings;
  private readonly harmony: HarmonySplitter;
  private hasFieldReasoning: boolean;
  private pending = '';
  /** Blanks at the start or between blocks: part of the answer if one follows. */
  private blanks = '';
  private closing = anyClosingTag;

  /** @param options - `hasFieldReasoning`: the reply has reasoning outside its content, so content is answer */
  constructor(text: SplitText, settings: SplitSettings, options: { hasFieldReasoning: boolean }) {
    this.text = text;
    this.settings = settings;
    this.harmony = new HarmonySplitter(text);
    this.hasFieldReasoning = options.hasFieldReasoning;
  }

  push(piece: string): void {
    this.pending += piece;
    let before;
    do {
      before = this.state;
      this.advance();
    } while (this.state !== before && this.pending !== '');
  }

  /** The content is over: what was held back is text. */
  end(): void {
    if (this.state === 'start') this.startWithoutMark();
    this.advance();
    const rest = this.blanks + this.pending;
    this.blanks = this.pending = '';
    if (this.state === 'block' || this.state === 'bare') this.text.addReasoning(rest);
    else this.text.addAnswer(rest);
    this.harmony.end();
  }

  /**
   * The reply has reasoning outside its content, so content from here on is answer.
   * @returns whether content before now was split by other rules, so that the whole has to be split again
   */
  noteFieldReasoning(): boolean {
    this.hasFieldReasoning = true;
    if (this.state === 'start' || this.state === 'harmony' || this.state === 'bare') return false;
    this.takeBlanksBack();
    this.state = 'literal';
    this.advance();
    return this.settings.think !== 'off';
  }

  private advance(): void {
    if (this.state === 'start') this.readStart();
    else if (this.state === 'harmony') this.harmony.push(this.takePending());
    else if (this.state === 'bare') this.readReasoning(bareEnd, 'literal');
    else if (this.state === 'block') this.readReasoning(this.closing, 'between');
    else if (this.state === 'between') this.readBetween();
    else if (this.state === 'undecided') this.readUndecided();
    else this.text.addAnswer(this.takePending());
  }

  private readStart(): void {
    this.setBlanksAside();
    if (this.pending === '') return;
    const start = this.startMarks().start(this.pending);
    if (start.type === 'whole') this.startWithMark(start.mark);
    else if (start.type === 'none') this.startWithoutMark();
  }

  private startWithMark(mark: string): void {
    this.blanks = '';
    if (harmonyStarts.includes(mark)) this.state = 'harmony';
    else if (mark === BARE_START) this.pass(mark, 'bare');
    else if (this.hasFieldReasoning) this.pass(mark, 'literal');
    else this.openBlock(mark);
  }

  private startMarks(): MarkFinder {
    const { harmony, think } = this.settings;
    const tags = this.hasFieldReasoning ? closingTags : openingTags;
    return new MarkFinder([
      ...(harmony === false ? [] : harmonyStarts),
      ...(harmony === true ? [BARE_START] : []),
      ...(think === 'off' ? [] : tags),
    ]);
  }

  private startWithoutMark(): void {
    this.takeBlanksBack();
    if (this.settings.think === 'off' || this.hasFieldReasoning) this.state = 'literal';
    else this.state = this.settings.think === 'implicit_open' ? 'block' : 'undecided';
  }

  private readReasoning(end: MarkFinder, next: 'between' | 'literal'): void {
    const search = end.search(this.pending);
    this.text.addReasoning(this.takePending(search.at));
    if (search.mark === undefined) return;
    this.text.endBlock();
    this.pass(search.mark, next);
  }

  private readBetween(): void {
    this.setBlanksAside();
    if (this.pending === '') return;
    const start = anyOpeningTag.start(this.pending);
    if (start.type === 'part') return;
    if (start.type === 'none') {
      this.takeBlanksBack();
      this.state = 'literal';
      return;
    }
    this.blanks = '';
    this.openBlock(start.mark);
  }

  private readUndecided(): void {
    const search = anyTag.search(this.pending);
    this.text.addAnswer(this.takePending(search.at));
    if (search.mark === undefined) return;
    if (!search.mark.startsWith('</')) {
      this.state = 'literal';
      return;
    }
    this.text.turnAnswerIntoReasoning();
    this.pass(search.mark, 'literal');
  }

  private openBlock(openingTag: string): void {
    this.closing = closingOf.get(openingTag) ?? anyClosingTag;
    this.pass(openingTag, 'block');
  }

  /** Moves on behind a mark that `pending` starts with. */
  private pass(mark: string, next: 'bare' | 'block' | 'between' | 'literal'): void {
    this.pending = this.pending.slice(mark.length);
    this.state = next;
  }

  private takePending(length = this.pending.length): string {
    const taken = this.pending.slice(0, length);
    this.pending = this.pending.slice(length);
    return taken;
  }

  private setBlanksAside(): void {
    const rest = this.pending.trimStart();
    this.blanks += this.pending.slice(0, this.pending.length - rest.length);
    this.pending = rest;
  }

  private takeBlanksBack(): void {
    this.pending = this.blanks + this.pending;
    this.blanks = '';
  }
}
