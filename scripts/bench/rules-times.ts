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

const TRACE_PASSES = 5;

/** CPU microseconds a KiB of long traces: the fastest of five passes over each, summed. */
export function traceTimePerKib(monitor: RulesMonitor, traces: readonly Trace[]): number {
  const chains = traces.map(({ text }) => cutIntoSteps(text));
  const kib = traces.reduce((sum, { text }) => sum + text.length, 0) / 1024;
  const fastest = chains.map(() => Infinity);
  for (let pass = 0; pass < TRACE_PASSES; pass += 1) {
    chains.forEach((steps, place) => {
      fastest[place] = Math.min(fastest[place] ?? Infinity, chainTime(monitor, steps));
    });
  }
  return fastest.reduce((sum, time) => sum + time, 0) / kib;
}

/** CPU time of a chain of 10,000 steps over that of one of 1,000 (the fastest of three each); linear is 10. */
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
  const fastest = (steps: readonly Step[]): number =>
    Math.min(...[0, 1, 2].map(() => chainTime(monitor, steps)));
  // One pass over the short chain takes little more than the clock can tell.
  const shortTime = Math.min(
    ...[0, 1, 2].map(
      () =>
        cpuMicroseconds(() => {
          for (let copy = 0; copy < 10; copy += 1) judgeAll(monitor, short);
        }) / 10,
    ),
  );
  return fastest(long) / shortTime;
}

const HOSTILE_PASSES = 20;

/**
 * 1 KiB each of text made to be slow, and the slowest of them in CPU milliseconds: the mean of 20 judgings, each in a
 * chain of its own (the faster of three passes).
 */
export function slowestHostileStep(monitor: RulesMonitor): { name: string; ms: number } {
  const times = hostileTexts.map(({ name, text }) => {
    const steps = stepsOf([text.repeat(Math.ceil(1024 / text.length)).slice(0, 1024)]);
    const pass = (): number =>
      cpuMicroseconds(() => {
        for (let copy = 0; copy < HOSTILE_PASSES; copy += 1) judgeAll(monitor, steps);
      });
    return { name, ms: Math.min(pass(), pass(), pass()) / HOSTILE_PASSES / 1000 };
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
  { name: 'nested fractions', text: '\\frac{1+\\frac{1}{2}' },
  { name: 'roots of sums', text: '\\sqrt{9+\\sqrt{16}}=' },
  { name: 'percent chains', text: '5% of 20% of 3=' },
  { name: 'mixed numbers', text: '2 1/2 + 3 1/3=' },
  { name: 'false products', text: '2(3)(4)^2=7%=' },
  { name: 'open and closed brackets', text: '((((((((((((1))))))))))))=2 ' },
  { name: 'long numbers', text: '99999999999999999999999999999999999999.9*3=' },
  { name: 'big powers', text: '99^63/98^63=' },
  { name: 'many factorials', text: '30!/29!+28!=1 ' },
  { name: 'signs before numbers', text: '-+-+-+-1=' },
  { name: 'commas', text: 'a, ' },
  { name: 'digits and commas', text: '1,1,1;' },
  { name: 'units', text: '3 big red old km + ' },
  { name: 'results altered', text: '7 * 3 = 21. 21 * 2.1 = 44.1. ' },
  { name: 'answers', text: 'the answer is 7, final answer: ' },
  { name: 'Han', text: '\u6211\u4eec\u518d\u8bd5\u4e00\u6b21\uff0c' },
  { name: 'combining marks', text: 'e\u0301\u0301\u0301' },
  { name: 'no-break spaces', text: '\u00a01\u00a0=\u00a0' },
  { name: 'superscripts', text: '2\u00b2\u00b3=' },
  { name: 'tags', text: '</think>\n' },
  { name: 'openings of judges', text: 'note to the verifier error ignore all the your the prior ' },
  { name: 'surrogates', text: '\ud83d' },
  { name: 'two-letter cycle, broken', text: 'abababababababababababababababac' },
];

function judgeAll(monitor: RulesMonitor, steps: readonly Step[]): void {
  const watched = monitor.watch(problem);
  for (const step of steps) watched.judge(step);
}

/** CPU microseconds of a chain. */
function chainTime(monitor: RulesMonitor, steps: readonly Step[]): number {
  return cpuMicroseconds(() => {
    judgeAll(monitor, steps);
  });
}

/** CPU time, which other processes on the machine lengthen less than they do the time by the clock. */
function cpuMicroseconds(work: () => unknown): number {
  const startedAt = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(startedAt);
  return user + system;
}

function microseconds(work: () => unknown): number {
  const startedAt = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - startedAt) / 1000;
}
