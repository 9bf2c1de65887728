import { createSegmenter, type Segment, type Segmenter } from '../../shared/core/segmentation.ts';
import { countTokens } from '../../shared/core/tokens.ts';
import { type Channel, channels, type Step } from '../../shared/schemas/step.ts';

export interface ChannelTokens {
  reasoning: number;
  answer: number;
  content: number;
}

/**
 * Cuts the text of one epoch into steps and counts its tokens, as it arrives. After `stop` text is counted and kept
 * out of the steps: it came after the cut.
 */
export class ChainRecorder {
  readonly #segmenter: Segmenter;
  readonly #now: () => number;
  readonly #tokens: ChannelTokens = { reasoning: 0, answer: 0, content: 0 };
  #unfinished: readonly Segment[] = [];
  readonly #late: Segment[] = [];
  #steps = 0;
  #sawReasoning = false;
  #sawAnswer = false;
  #stopped = false;

  constructor(mode: 'haltline' | 'paper', now: () => number) {
    this.#segmenter = createSegmenter(mode);
    this.#now = now;
  }

  /** The steps that this piece of text finishes. */
  push(kind: 'reasoning' | 'content', text: string): Step[] {
    if (text === '') return [];
    if (kind === 'reasoning') this.#sawReasoning = true;
    const channel: Channel = kind === 'reasoning' ? 'reasoning' : this.#sawReasoning ? 'answer' : 'content';
    if (channel === 'answer') this.#sawAnswer = true;
    if (this.#stopped) {
      this.#late.push({ channel, text });
      return [];
    }
    return this.#toSteps(this.#segmenter.push(channel, text));
  }

  /** Steps that come as they are, blank ones too: cut again, a recorded chain would no longer fit its labels. */
  take(texts: readonly string[]): Step[] {
    const segments = texts.map((text) => ({ channel: 'content' as const, text }));
    if (!this.#stopped) return this.#toSteps(segments);
    this.#late.push(...segments);
    return [];
  }

  /** The last steps: what is in the buffer is always a step. */
  end(): Step[] {
    return this.#toSteps(this.#segmenter.end());
  }

  /** From now on text is counted only; so is what is in the buffer. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#unfinished = this.#segmenter.end();
  }

  get hasAnswerText(): boolean {
    return this.#sawAnswer;
  }

  /** Local tokens of all text received so far, buffer included; `afterStop` is the part that came after `stop`. */
  tokens(): ChannelTokens & { afterStop: number } {
    const total = { ...this.#tokens, afterStop: 0 };
    for (const { channel, text } of this.#unfinished) total[channel] += countTokens(text);
    for (const channel of channels) {
      const pieces = this.#late.filter((piece) => piece.channel === channel);
      const late = countTokens(pieces.map((piece) => piece.text).join(''));
      total[channel] += late;
      total.afterStop += late;
    }
    return total;
  }

  #toSteps(segments: readonly Segment[]): Step[] {
    if (segments.length === 0) return [];
    // Before the tokens are counted: that takes time, and detection counts from the delta's arrival.
    const endedAtMs = this.#now();
    return segments.map(({ channel, text }) => {
      const step = { index: this.#steps, channel, text, tokens: countTokens(text), endedAtMs };
      this.#steps += 1;
      this.#tokens[channel] += step.tokens;
      return step;
    });
  }
}
