import { expect, test } from 'vitest';
import { scriptOf, messagesOf, UNSAFE_MARK } from '../../../scripts/bench/interrupt-chains.ts';
import { type BlockFigures, blockFigures, compareBlocks } from '../../../scripts/bench/interrupt-figures.ts';

const block = (p50: number, p99: number): BlockFigures => ({ p50, p99, tokensP50: 0, tokensP99: 1 });

test('a block is its median and its 99th percentile, in any order of its interrupts', () => {
  const interrupts = Array.from({ length: 101 }, (_, index) => ({
    ms: 100 - index,
    tokensAfterFlag: index % 2,
  }));
  expect(blockFigures(interrupts)).toEqual({ p50: 50, p99: 99, tokensP50: 0, tokensP99: 1 });
});

test('blocks are compared by their medians, and single pairs give the range', () => {
  const pairs = [
    { ours: block(2, 10), floor: block(1, 10) },
    { ours: block(3, 20), floor: block(2, 5) },
    { ours: block(9, 30), floor: block(3, 10) },
  ];
  const { p50Ratio, p99Ratio, p50Range, p99Range } = compareBlocks(pairs);
  expect([p50Ratio, p99Ratio]).toEqual([1.5, 2]);
  expect([p50Range, p99Range]).toEqual([
    [1.5, 3],
    [1, 4],
  ]);
});

test('a chain of the benchmark holds its mark in one step only, with more than a second of text behind it', () => {
  for (let chain = 0; chain < 100; chain += 1) {
    const { reasoning = [] } = scriptOf(messagesOf(chain));
    const steps = reasoning.join('').trimEnd().split('\n\n');
    const marked = steps.flatMap((step, index) => (step.includes(UNSAFE_MARK) ? [index] : []));
    expect(marked).toHaveLength(1);
    const after = steps.slice((marked[0] ?? 0) + 1).join(' ');
    expect(after.split(' ').length).toBeGreaterThan(50);
  }
});
