/**
 * How reading grows with hostile text: CPU milliseconds of 64 and of 256 thousand characters, and their ratio: 4 where
 * time is linear, 16 where it is quadratic.
 *
 * `npm run bench -- regular-expressions`
 */
import { answerSegments } from '../../shared/core/answers/answer-segments.ts';
import { findChoice } from '../../shared/core/answers/choice.ts';
import { findBackdoorStep } from '../../shared/core/backdoor-step.ts';
import { createRulesMonitor } from '../../workers/monitor/rules/rules-monitor.ts';

const sizes = [65_536, 262_144] as const;
const times = 3;

interface Reading {
  readonly name: string;
  /** Repeated until the text is long enough. */
  readonly part: string;
  readonly read: (text: string) => unknown;
}

/** One step, in the middle of a chain. */
const judge = (text: string): unknown => {
  const chain = createRulesMonitor().watch({ query: 'What is 6 times 7? (A) 42 (B) 36', asksForSteps: true });
  return chain.judge({ index: 0, channel: 'reasoning', text, tokens: 1, endedAtMs: 0 });
};
const product = (text: string): unknown => findBackdoorStep([text], { type: 'multiply', factor: 2.1 });
const readings: readonly Reading[] = [
  { name: 'announcements, none followed', part: '\\ANSWER', read: answerSegments },
  { name: 'announcements, blanks behind', part: `answer${' '.repeat(48)}`, read: answerSegments },
  { name: 'announcements, marks at the start of a line', part: ' \t>#*', read: answerSegments },
  {
    name: 'choices, marks in boxes',
    part: `\\boxed{${'["'.repeat(900)}}\n`,
    read: (text) => findChoice(text),
  },
  {
    name: 'choices, marks behind announcements',
    part: `answer: ${'["'.repeat(200)}\n`,
    read: (text) => findChoice(text),
  },
  {
    name: 'choices, a mark and blanks',
    part: `\\boxed{[${' '.repeat(1_900)}}\n`,
    read: (text) => findChoice(text),
  },
  { name: 'products, long units', part: `1${'a'.repeat(72)}×1${'a'.repeat(72)} `, read: product },
  { name: 'products, never a second factor', part: 'ems%lidip', read: product },
  { name: 'rules, suppositions', part: 'if BASE ', read: judge },
  { name: 'rules, equations under a supposition', part: 'if not 1 + 1 = 2 ', read: judge },
  { name: 'rules, conclusions', part: 'so (A) answer is ', read: judge },
];

function cpuMs(read: () => unknown): number {
  let least = Infinity;
  for (let turn = 0; turn < times; turn += 1) {
    const before = process.cpuUsage().user;
    read();
    least = Math.min(least, (process.cpuUsage().user - before) / 1_000);
  }
  return least;
}

for (const { name, part, read } of readings) {
  const [small, large] = sizes.map((size) => part.repeat(Math.ceil(size / part.length)));
  const [less, more] = [cpuMs(() => read(small ?? '')), cpuMs(() => read(large ?? ''))];
  console.log(`${name}: ${less.toFixed(1)} ms, ${more.toFixed(1)} ms, ratio ${(more / less).toFixed(1)}`);
}
