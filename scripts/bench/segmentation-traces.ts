import { createSegmenter, type SegmentationMode } from '../../shared/core/segmentation.ts';
import { countTokens } from '../../shared/core/tokens.ts';
import type { Step } from '../../shared/schemas/step.ts';
import type { RulesMonitor } from '../../workers/monitor/rules/rules-monitor.ts';
import { stepsOf, type Trace } from './rules-data.ts';

/** Smallest, median and largest of some figures; undefined of none. */
export interface Spread {
  readonly n: number;
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export interface ModeFigures {
  readonly stepsPerChain: Spread | undefined;
  /** The longest step of each chain, in UTF-16 units. */
  readonly longestStep: Spread | undefined;
  readonly loops: number;
  readonly caught: number;
  /** Of the caught ones, from the start of the chain to the end of the first step flagged as 3a. */
  readonly stepsUntilCaught: Spread | undefined;
  readonly tokensUntilCaught: Spread | undefined;
  /** From the paragraph with which the loop begins to the end of that step. */
  readonly tokensOfLoop: Spread | undefined;
}

/** What one way of cutting makes of the traces, and of their exact loops under a monitor. */
export function modeFigures(
  mode: SegmentationMode,
  traces: readonly Trace[],
  transformation: (text: string) => string,
  monitor: RulesMonitor,
): ModeFigures {
  const chains = traces.map((trace) => ({ trace, steps: cut(mode, transformation(trace.text)) }));
  const looping = chains.filter(({ trace }) => trace.loop !== null);
  const caught = looping.flatMap(({ trace, steps }) => {
    const chain = monitor.watch({ query: trace.question, asksForSteps: true });
    const flagged = steps.find((step) => chain.judge(step).errorType === '3a');
    if (flagged === undefined) return [];
    const tokens = countTokens(joined(steps.slice(0, flagged.index + 1)));
    const before = countTokens(transformation(trace.text.slice(0, loopStart(trace))));
    return [{ steps: flagged.index + 1, tokens, ofLoop: Math.max(0, tokens - before) }];
  });
  return {
    stepsPerChain: spread(chains.map(({ steps }) => steps.length)),
    longestStep: spread(chains.map(({ steps }) => Math.max(0, ...steps.map(({ text }) => text.length)))),
    loops: looping.length,
    caught: caught.length,
    stepsUntilCaught: spread(caught.map(({ steps }) => steps)),
    tokensUntilCaught: spread(caught.map(({ tokens }) => tokens)),
    tokensOfLoop: spread(caught.map(({ ofLoop }) => ofLoop)),
  };
}

function cut(mode: SegmentationMode, text: string): Step[] {
  const segmenter = createSegmenter(mode);
  const segments = [...segmenter.push('reasoning', text), ...segmenter.end()];
  return stepsOf(
    segments.map((segment) => segment.text),
    'reasoning',
  );
}

const joined = (steps: readonly Step[]): string => steps.map(({ text }) => text).join('\n\n');

/** Where the paragraph begins with which the loop does. */
function loopStart({ text, loop }: Trace): number {
  let [from, seen] = [0, 0];
  while (loop !== null && from < text.length) {
    const end = text.indexOf('\n\n', from);
    const to = end === -1 ? text.length : end + 2;
    if (text.slice(from, to).trim() !== '' && seen++ === loop.start) return from;
    from = to;
  }
  return text.length;
}

function spread(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high, median] = [sorted[0], sorted.at(-1), sorted[Math.floor((sorted.length - 1) / 2)]];
  if (low === undefined || high === undefined || median === undefined) return undefined;
  return { n: values.length, low, median, high };
}
