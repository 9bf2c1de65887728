import { expect, test } from 'vitest';
import { buildScriptedChain, deltasOf } from '../../scripts/scripted-chain.ts';
import { createSegmenter } from '../../shared/core/segmentation.ts';
import { isUnsafe } from '../../shared/schemas/verdict.ts';
import type { Monitor } from '../../workers/monitor/monitor.ts';
import { createRulesMonitor } from '../../workers/monitor/rules/rules-monitor.ts';

const seeds = Array.from({ length: 200 }, (_, index) => `seed-${index}`);
const monitor: Monitor = createRulesMonitor({ policy: 'precise' });

async function flaggedSteps(steps: readonly string[]): Promise<number[]> {
  const problem = { query: 'What is 40 + 2? Think step by step.', asksForSteps: true };
  const chain = monitor.watch(problem);
  const flagged: number[] = [];
  const texts = [...steps, 'The answer is 42.'];
  for (const [index, text] of texts.entries()) {
    const channel = index < steps.length ? 'reasoning' : 'answer';
    const step = { index, channel, text, tokens: 20, endedAtMs: 0 } as const;
    const call = { signal: new AbortController().signal, book: () => undefined };
    if (isUnsafe(await chain.judge(step, call))) flagged.push(index);
  }
  return flagged;
}

test('the rules find the false equation of a scripted chain, and nothing else in it', async () => {
  for (const [index, seed] of seeds.entries()) {
    const unsafeAt = index % 3 === 0 ? undefined : index % 9;
    const { steps } = buildScriptedChain(seed, { length: 9, unsafeAt });
    expect(await flaggedSteps(steps), seed).toEqual(unsafeAt === undefined ? [] : [unsafeAt]);
  }
});

test('each step of a scripted chain is one step of the segmenter, cut in deltas that add up to it', () => {
  for (const seed of seeds) {
    const { steps } = buildScriptedChain(seed, { length: 6, unsafeAt: 3 });
    const segmenter = createSegmenter('haltline');
    const found = steps.flatMap(deltasOf).flatMap((delta) => segmenter.push('reasoning', delta));
    expect([...found, ...segmenter.end()].map(({ text }) => text.trim())).toEqual(
      steps.map((step) => step.trim()),
    );
  }
});

test('a seed always gives the same chain, another seed another', () => {
  const build = (seed: string) => buildScriptedChain(seed, { length: 4 }).steps;
  expect(build('a')).toEqual(build('a'));
  expect(build('a')).not.toEqual(build('b'));
});
