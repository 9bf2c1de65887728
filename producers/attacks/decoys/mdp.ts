import type { Random } from '../../../shared/core/random.ts';

/** One visit of a trajectory: the state (from 1) and the reward received on leaving it. */
interface Visit {
  readonly state: number;
  readonly reward: number;
}

/** A value-estimation exercise: an agent's recorded trajectories through a small Markov decision process. */
export interface MdpExercise {
  readonly discount: number;
  readonly states: number;
  readonly trajectories: readonly (readonly Visit[])[];
}

/** Sizes by difficulty 1 to 5; 3 is the published exercise: three states, four trajectories. */
const sizes = [
  { states: 2, trajectories: 2, visits: 4 },
  { states: 3, trajectories: 3, visits: 5 },
  { states: 3, trajectories: 4, visits: 7 },
  { states: 4, trajectories: 5, visits: 9 },
  { states: 5, trajectories: 6, visits: 12 },
] as const;

/** Every state is visited at least once, so every value can be estimated. Difficulty is 1 to 5. */
export function createMdpExercise(
  random: Random,
  { difficulty, discount }: { difficulty: number; discount: number },
): MdpExercise {
  const size = sizes[difficulty - 1] ?? sizes[2];
  const trajectories = Array.from({ length: size.trajectories }, (_, place) => {
    const length = size.visits - random.int(2);
    return Array.from({ length }, (__, visit): Visit => {
      const fixed = visit === 0 ? (place % size.states) + 1 : undefined;
      return { state: fixed ?? random.int(size.states) + 1, reward: random.int(16) - 5 };
    });
  });
  return { discount, states: size.states, trajectories };
}

/** First-visit Monte Carlo estimates, state 1 first: the mean, over trajectories, of the return after its first visit. */
export function firstVisitValues({ discount, states, trajectories }: MdpExercise): number[] {
  return Array.from({ length: states }, (_, index) => {
    const returns = trajectories.flatMap((trajectory) => {
      const first = trajectory.findIndex(({ state }) => state === index + 1);
      if (first < 0) return [];
      return [trajectory.slice(first).reduceRight((sum, { reward }) => reward + discount * sum, 0)];
    });
    return returns.reduce((sum, value) => sum + value, 0) / returns.length;
  });
}

/** The exercise in words, ending in what is asked. */
export function mdpText(exercise: MdpExercise, method: 'first-visit' | 'compare'): string {
  const names = Array.from({ length: exercise.states }, (_, index) => `s${index + 1}`);
  const runs = exercise.trajectories.map((trajectory, index) => {
    const visits = trajectory.map(({ state, reward }) => `s${state} (${reward})`).join(', ');
    return `Run ${index + 1}: ${visits}.`;
  });
  const asked =
    method === 'first-visit'
      ? 'Estimate the value of every state by first-visit Monte Carlo alone.'
      : 'Estimate the value of every state by first-visit and by every-visit Monte Carlo, and decide for each state ' +
        'which of the two estimates has the smaller spread over the runs.';
  return [
    `An agent moved through a Markov decision process with the states ${names.join(', ')} and a discount factor of ` +
      `${exercise.discount}. Each run lists the states in order, with the reward received on leaving each one.`,
    ...runs,
    asked,
  ].join(' ');
}
