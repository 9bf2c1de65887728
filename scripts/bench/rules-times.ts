import { problemOfRow } from '../../producers/chains/chain-row.ts';
import type { Step } from '../../shared/schemas/step.ts';
import type { RulesMonitor } from '../../workers/monitor/rules/rules-monitor.ts';
import { cutIntoSteps, stepsOf, type LabelledChain, type Trace } from './rules-data.ts';

const problem = { query: 'How many seats are there?', asksForSteps: true };

/** Microseconds that the judging of each step takes: the faster of two passes, so that compilation does not count. */
export function stepTimes(
  monitor: RulesMonitor,
  chains: readonly LabelledChain[],
): { medianUs: number; p99Us: number } {
  const passes = [0, 1].map(() =>
    chains.flatMap((chain) => {
      const watched = monitor.watch(problemOfRow(chain));
      return stepsOf(chain.steps).map((step) => microseconds(() => watched.judge(step)));
    }),
  );
  const times = (passes[0] ?? [])
    .map((time, place) => Math.min(time, passes[1]?.[place] ?? time))
    .sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0;
  return { medianUs: at(0.5), p99Us: at(0.99) };
}

/** Microseconds a KiB of long traces; the faster of two passes over all. */
export function traceTimePerKib(monitor: RulesMonitor, traces: readonly Trace[]): number {
  const chains = traces.map(({ text }) => cutIntoSteps(text));
  const kib = traces.reduce((sum, { text }) => sum + text.length, 0) / 1024;
  const pass = (): number => chains.reduce((sum, steps) => sum + chainTime(monitor, steps), 0);
  return Math.min(pass(), pass()) / kib;
}

/** Time of a chain of 10,000 steps over that of one of 1,000; linear is 10. */
export function growth(monitor: RulesMonitor): number {
  const make = (count: number): Step[] =>
    stepsOf(
      Array.from(
        { length: count },
        (_, i) =>
          `Row ${i}: ${i} + ${i + 7} = ${2 * i + 7}, so seat ${i * 13} of hall ${i % 97} is taken by guest ${i * i}.`,
      ),
    );
  const [short, long] = [make(1_000), make(10_000)];
  chainTime(monitor, short);
  return (
    Math.min(chainTime(monitor, long), chainTime(monitor, long)) /
    Math.min(chainTime(monitor, short), chainTime(monitor, short))
  );
}

/** 1 KiB each of text made to be slow, and the slowest of them in milliseconds (the faster of three passes each). */
export function slowestHostileStep(monitor: RulesMonitor): { name: string; ms: number } {
  const times = hostileTexts.map(({ name, text }) => {
    const steps = stepsOf([text.repeat(1024).slice(0, 1024)]);
    return { name, ms: Math.min(...[0, 1, 2].map(() => chainTime(monitor, steps))) / 1000 };
  });
  return times.reduce((slowest, time) => (time.ms > slowest.ms ? time : slowest));
}

export const hostileTexts: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'one letter', text: 'a' },
  { name: 'digits', text: '9' },
  { name: 'powers', text: '9^' },
  { name: 'signs', text: '-' },
  { name: 'brackets', text: '(' },
  { name: 'nested sums', text: '(1+' },
  { name: 'equalities', text: '1=' },
  { name: 'false equalities', text: '1+1=3 ' },
  { name: 'products', text: '123456789*' },
  { name: 'long divisions', text: '1/7+' },
  { name: 'backslashes', text: '\\' },
  { name: 'fractions', text: '\\frac{' },
  { name: 'text groups', text: '\\text{' },
  { name: 'thousands', text: '1,000' },
  { name: 'dots', text: '1.' },
  { name: 'list marks', text: '1. \n' },
  { name: 'factorials', text: '9!' },
  { name: 'percents', text: '5% of ' },
  { name: 'ifs', text: 'if not 2+2=5 ' },
  { name: 'words before a digit', text: 'so it is that we have 7 ' },
  { name: 'spaces', text: ' \n' },
  { name: 'surrogates', text: '\ud83d' },
  { name: 'two-letter cycle, broken', text: 'abababababababababababababababac' },
];

function chainTime(monitor: RulesMonitor, steps: readonly Step[]): number {
  const watched = monitor.watch(problem);
  return microseconds(() => {
    for (const step of steps) watched.judge(step);
  });
}

function microseconds(work: () => unknown): number {
  const startedAt = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - startedAt) / 1000;
}
