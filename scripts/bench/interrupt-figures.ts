import { quantile } from '../../shared/core/statistics/percentiles.ts';

/** One interrupt: from the delta that closed the unsafe step to the closed socket. */
export interface Interrupt {
  readonly ms: number;
  /** Tokens received after the flag was heard. */
  readonly tokensAfterFlag: number;
}

/** Medians over blocks: of each block's percentile, and of the ratios within each pair of blocks. */
export interface Comparison {
  readonly ours: BlockFigures;
  readonly floor: BlockFigures;
  /** Of the medians. */
  readonly p50Ratio: number;
  readonly p99Ratio: number;
  /** Of single pairs, smallest and largest. */
  readonly p50Range: readonly [number, number];
  readonly p99Range: readonly [number, number];
}

export interface BlockFigures {
  readonly p50: number;
  readonly p99: number;
  readonly tokensP50: number;
  readonly tokensP99: number;
}

/** @param interrupts - of one block; at least one */
export function blockFigures(interrupts: readonly Interrupt[]): BlockFigures {
  const ms = Float64Array.from(interrupts, (one) => one.ms).sort();
  const tokens = Float64Array.from(interrupts, (one) => one.tokensAfterFlag).sort();
  return {
    p50: quantile(ms, 0.5),
    p99: quantile(ms, 0.99),
    tokensP50: quantile(tokens, 0.5),
    tokensP99: quantile(tokens, 0.99),
  };
}

/** @param pairs - blocks that ran one after the other, ours and the floor's; at least one */
export function compareBlocks(
  pairs: readonly { readonly ours: BlockFigures; readonly floor: BlockFigures }[],
): Comparison {
  const ours = medianBlock(pairs.map((pair) => pair.ours));
  const floor = medianBlock(pairs.map((pair) => pair.floor));
  const range = (of: (figures: BlockFigures) => number): [number, number] => {
    const ratios = pairs.map((pair) => of(pair.ours) / of(pair.floor));
    return [Math.min(...ratios), Math.max(...ratios)];
  };
  return {
    ...{ ours, floor, p50Ratio: ours.p50 / floor.p50, p99Ratio: ours.p99 / floor.p99 },
    p50Range: range((figures) => figures.p50),
    p99Range: range((figures) => figures.p99),
  };
}

function medianBlock(blocks: readonly BlockFigures[]): BlockFigures {
  const median = (of: (figures: BlockFigures) => number): number =>
    quantile(Float64Array.from(blocks, of).sort(), 0.5);
  return {
    p50: median((block) => block.p50),
    p99: median((block) => block.p99),
    tokensP50: median((block) => block.tokensP50),
    tokensP99: median((block) => block.tokensP99),
  };
}
