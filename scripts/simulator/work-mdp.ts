import type { Random } from '../../shared/core/random.ts';
import { writeNumber } from './arithmetic.ts';
import { fillIn, inParagraphs } from './tell.ts';

interface Visit {
  readonly state: string;
  readonly reward: number;
}

function readTrajectories(text: string): Visit[][] {
  const parts = text.split(/(?:Trajectory|Episode|Run)\s*#?\d+\s*:/i).slice(1);
  return parts
    .map((part) =>
      [...part.matchAll(/\b(s\d+)\b[\s,:()→>-]*?([-−]?\d+(?:\.\d+)?)/gi)].map((match) => ({
        state: match[1] ?? '',
        reward: Number((match[2] ?? '0').replace('−', '-')),
      })),
    )
    .filter((visits) => visits.length > 0);
}

/** Used when a prompt's own trajectories cannot be read: the model has to work on something. */
const standIn: readonly Visit[] = [
  { state: 's1', reward: 2 },
  { state: 's2', reward: -1 },
  { state: 's3', reward: 4 },
  { state: 's1', reward: 3 },
];

const methods = [
  'first-visit Monte Carlo',
  'every-visit Monte Carlo',
  'a second pass of first-visit Monte Carlo',
];

/** One pass over an MDP exercise as a model works it, paragraph by paragraph, with right sums. */
export function* estimateValues(text: string, pass: number, random: Random): Generator<string> {
  const gamma = Number(/(?:γ|gamma|discount(?: factor)?)[^\d]{0,12}(\d?\.\d+|1)/i.exec(text)?.[1] ?? '0.9');
  const read = readTrajectories(text);
  const trajectories = read.length > 0 ? read : [standIn];
  const method = methods[pass % methods.length] ?? '';
  yield `${pass === 0 ? 'I start' : 'To be sure, I repeat this'} with ${method}, discounting by ${gamma}.`;
  const samples = new Map<string, number[]>();
  for (const [index, visits] of trajectories.entries()) {
    const everyVisit = pass % methods.length === 1;
    const sentences = discount(
      visits,
      { name: `Trajectory ${index + 1}`, gamma, everyVisit, random },
      samples,
    );
    yield* inParagraphs(sentences, random);
  }
  for (const [state, values] of samples) {
    const total = round(values.reduce((sum, value) => sum + value, 0));
    const mean = round(total / values.length);
    yield random.pick([
      `State ${state} has ${values.length} sampled returns with a total of ${total}, so its value is about ${mean}.`,
      `That leaves ${state}: the returns sum to ${total} over ${values.length} samples, an average of ${mean}.`,
      `Averaging for ${state}, I divide ${total} by ${values.length} and get ${mean}.`,
    ]);
  }
}

/** What a visit can be told as; each names the same figures. */
const visitForms = [
  '%name, visit %visit to %state: the reward is %reward and the discounted rest is %rest, which makes a return of %value.',
  'Going one back in the same run, %state pays %reward; with %rest carried over from later I have %value.',
  'Before that comes %state at position %visit, so I add %reward to %rest and arrive at %value.',
  'For %state here the immediate part is %reward, what follows is worth %rest, and together that is %value.',
  'At position %visit the agent leaves %state for %reward. The future counts for %rest, hence %value.',
  'Now %state, number %visit: %reward now and %rest later, so its return comes to %value.',
];

function* discount(
  visits: readonly Visit[],
  { name, gamma, everyVisit, random }: { name: string; gamma: number; everyVisit: boolean; random: Random },
  samples: Map<string, number[]>,
): Generator<string> {
  let following = 0;
  for (let place = visits.length - 1; place >= 0; place -= 1) {
    const { state = '', reward = 0 } = visits[place] ?? {};
    // The shown figures are the rounded ones, so each line is computed from what the line before shows.
    const rest = round(gamma * following);
    const value = round(reward + rest);
    const form = place === visits.length - 1 ? visitForms[0] : random.pick(visitForms);
    yield fillIn(form ?? '', { name, visit: place + 1, state, reward, rest, value });
    following = value;
    const isFirst = visits.findIndex((visit) => visit.state === state) === place;
    if (isFirst || everyVisit) samples.set(state, [...(samples.get(state) ?? []), value]);
  }
}

function round(value: number): number {
  return Number(writeNumber(Math.round(value * 1000) / 1000));
}
