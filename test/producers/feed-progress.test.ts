import { expect, it } from 'vitest';
import { etaMs, RateMeter } from '../../producers/feed-progress.ts';

it('the rate counts what was done since the first look, over the last half minute', () => {
  const meter = new RateMeter();
  expect(meter.sample(0, 500)).toBeUndefined();
  expect(meter.sample(2_000, 500)).toBeUndefined();
  expect(meter.sample(10_000, 520)).toBe(2);
  // The sample of 0 s is older than 30 s: from 2 s (500) to 32 s (800)
  expect(meter.sample(32_000, 800)).toBe(10);
});

it('the time left follows from the rate, and is unknown without one', () => {
  expect(etaMs(50, 2)).toBe(25_000);
  expect(etaMs(50, undefined)).toBeUndefined();
  expect(etaMs(0, undefined)).toBe(0);
});
