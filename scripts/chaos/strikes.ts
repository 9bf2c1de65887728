import { createRandom } from '../../shared/core/random.ts';

export const processKinds = ['generation', 'monitor', 'metrics', 'producer'] as const;
export type ProcessKind = (typeof processKinds)[number];
export type FreezableKind = Exclude<ProcessKind, 'producer'>;

/** What is done to the running sweep, `afterMs` after the strike before it. */
export type Strike = { readonly afterMs: number } & (
  | { readonly type: 'kill'; readonly kind: ProcessKind }
  | { readonly type: 'kill-redis' }
  | { readonly type: 'cut-connections' }
  | { readonly type: 'fill-redis' }
  | { readonly type: 'freeze'; readonly kind: FreezableKind; readonly forMs: number }
);

/** Past the lock, the check for stalled jobs and a little; for metrics, past the lease. */
export const freezeMs: Readonly<Record<FreezableKind, number>> = {
  generation: 17_000,
  monitor: 9_000,
  metrics: 13_000,
};

type Deed = Strike extends infer One ? (One extends Strike ? Omit<One, 'afterMs'> : never) : never;

const kill = (kind: ProcessKind): Deed => ({ type: 'kill', kind });
const freeze = (kind: FreezableKind): Deed => ({ type: 'freeze', kind, forMs: freezeMs[kind] });

const drawnAgain: readonly Deed[] = [
  ...processKinds.map(kill),
  { type: 'kill-redis' },
  { type: 'cut-connections' },
  ...(['metrics', 'generation', 'monitor'] as const).map(freeze),
];
/** Each of them once, before any is drawn a second time. */
const deeds: readonly Deed[] = [...drawnAgain, { type: 'fill-redis' }];
/** Workers are killed most. */
const workerKills = [kill('generation'), kill('monitor'), kill('metrics')];
const drawnFrom: readonly Deed[] = [...drawnAgain, ...workerKills, ...workerKills, ...workerKills];

/** Strikes without end, one every second or two, decided by the seed. */
export function* planStrikes(seed: string): Generator<Strike> {
  const random = createRandom(`${seed}/strikes`);
  const withGap = (deed: Deed): Strike => ({ ...deed, afterMs: 1_000 + random.int(1_000) });
  for (const deed of random.shuffle(deeds)) yield withGap(deed);
  for (;;) yield withGap(random.pick(drawnFrom));
}
