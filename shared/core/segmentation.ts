import type { Channel } from '../schemas/step.ts';
import { StepCutter } from './step-cutter.ts';

/** One step of a chain as it is cut: its text without white space around it, never empty. */
export interface Segment {
  readonly channel: Channel;
  readonly text: string;
}

/** `paper`: at `\n\n` alone, as arXiv 2603.25412 does; `haltline`: all of DESIGN, "Steps". */
export type SegmentationMode = 'haltline' | 'paper';

/** Cuts one chain into steps as it streams in. Its state is the open step. */
export interface Segmenter {
  /**
   * Takes a delta, of any length, cut anywhere (inside a surrogate pair or a line end too); an empty one is nothing.
   * Another channel than before ends the open step first.
   *
   * @returns the steps that ended, in order
   */
  push(channel: Channel, text: string): Segment[];
  /** Ends the open step, however short: it is judged as it is. Afterwards the segmenter can take another chain. */
  end(): Segment[];
  /** UTF-16 units looked at or moved so far, which tests hold to a small multiple of those pushed. */
  readonly visited: number;
}

/** Cuts the text of one channel. */
interface Cutter {
  push(text: string): string[];
  end(): string[];
  readonly visited: number;
}

/**
 * Both modes: no step holds text of two channels; white space alone is no step; the segments hold every character of
 * the chain that is not white space, in order. What the deltas were changes nothing.
 *
 * `haltline` takes any line of white space only for a blank one (`\r\n\r\n`, lines of spaces): models send both, and
 * to a reader they part paragraphs alike. `paper` does not.
 */
export function createSegmenter(mode: SegmentationMode): Segmenter {
  const cutter: Cutter = mode === 'paper' ? new BlankLineCutter() : new StepCutter();
  let channel: Channel | undefined;
  const end = (): Segment[] => {
    const ended = channel;
    channel = undefined;
    return ended === undefined ? [] : cutter.end().map((text) => ({ channel: ended, text }));
  };
  return {
    push(next, text) {
      if (text === '') return [];
      const before = next === channel ? [] : end();
      channel = next;
      return [...before, ...cutter.push(text).map((step) => ({ channel: next, text: step }))];
    },
    end,
    get visited() {
      return cutter.visited;
    },
  };
}

/** Cuts at `\n\n` and nowhere else. */
class BlankLineCutter implements Cutter {
  #open = '';
  #isAfterLineEnd = false;
  #visited = 0;

  get visited(): number {
    return this.#visited;
  }

  push(text: string): string[] {
    const steps: string[] = [];
    let from = 0;
    for (let place = 0; place < text.length; place += 1) {
      const isLineEnd = text.charAt(place) === '\n';
      if (isLineEnd && this.#isAfterLineEnd) {
        this.#open += text.slice(from, place);
        from = place + 1;
        steps.push(...this.end());
      } else {
        this.#isAfterLineEnd = isLineEnd;
      }
    }
    this.#open += text.slice(from);
    this.#visited += text.length;
    return steps;
  }

  end(): string[] {
    const step = this.#open.trim();
    this.#visited += this.#open.length;
    this.#open = '';
    this.#isAfterLineEnd = false;
    return step === '' ? [] : [step];
  }
}
