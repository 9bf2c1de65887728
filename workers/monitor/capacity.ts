import { asksModel, type SweepSpec } from '../../shared/schemas/sweep-spec.ts';

/** Chains that one worker watches at once where only `rules` judge: they cost microseconds a step. */
const RULES_CHAINS = 500;
/** And where a model does: BullMQ gives jobs to the first free worker, not to the least loaded. */
const MODEL_CHAINS = 32;
const IN_FLIGHT = 32;

export interface Capacity {
  /** Chains watched at once. */
  readonly chains: number;
  /** Judgements by a model at once. */
  readonly inFlight: number;
}

/** How much a monitor worker takes on, by the sweeps that are live; while none is known, as little as any asks for. */
export function capacityFor(specs: readonly Pick<SweepSpec, 'monitor' | 'monitors'>[]): Capacity {
  if (specs.length === 0) return { chains: MODEL_CHAINS, inFlight: IN_FLIGHT };
  return {
    chains: Math.min(...specs.map((spec) => spec.monitor.chains ?? usualChains(spec))),
    inFlight: Math.min(...specs.map((spec) => spec.monitor.inFlight)),
  };
}

function usualChains({ monitors }: Pick<SweepSpec, 'monitors'>): number {
  return monitors.some(asksModel) ? MODEL_CHAINS : RULES_CHAINS;
}
