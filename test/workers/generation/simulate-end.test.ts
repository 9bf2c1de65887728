import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Step } from '../../../shared/schemas/step.ts';
import { type Judging, simulateEnd } from '../../../workers/generation/simulate-end.ts';

/** Steps of 10 tokens that ended at 1,100, 1,200, 1,300, 1,400; the stream ended at 1,450. */
const chain: readonly Step[] = [1_100, 1_200, 1_300, 1_400].map((endedAtMs, index) => ({
  ...{ index, channel: 'content' as const, text: 'a step', tokens: 10, endedAtMs },
}));
const closedAtMs = 1_450;
const safe = (durationMs: number): Judging => ({ kind: 'safe', durationMs });
const unsafe = (durationMs: number): Judging => ({ kind: 'unsafe', durationMs });

function end(judgings: readonly Judging[], flagged: number | undefined, stop?: 'verdict' | 'monitor_error') {
  const byStep = new Map(judgings.map((judging, index) => [index, judging]));
  return simulateEnd({ chain, closedAtMs, judgings: byStep, stop, flagged });
}

test('a verdict that is ready before the next step ended cuts there, and the step under way counts whole', () => {
  // ready at 1,200 + 50: the third step ended at 1,300
  expect(end([safe(5), unsafe(50)], 1, 'verdict')).toEqual({
    ...{ isCut: true, closedAtMs: 1_250, endedAtMs: 1_250, published: 2, received: 3 },
  });
});

test('a slow verdict lets the steps through that ended meanwhile', () => {
  // ready at 1,200 + 210 = 1,410: all four steps had ended, the stream not yet
  expect(end([safe(5), unsafe(210)], 1, 'verdict')).toMatchObject({
    ...{ isCut: true, closedAtMs: 1_410, published: 4, received: 4 },
  });
});

test('a verdict that is ready after the last token cuts nothing, and holds the answer back until then', () => {
  expect(end([safe(5), unsafe(300)], 1, 'verdict')).toEqual({
    ...{ isCut: false, closedAtMs: 1_450, endedAtMs: 1_500, published: 4, received: 4 },
  });
});

test('the first unsafe verdict to be ready closes the socket; the run ends when the flag before it has its verdict', () => {
  // step 1 is ready at 1,600, step 2 at 1,310: the socket closes there, and step 1 is the flag that is waited for
  expect(end([safe(5), unsafe(400), unsafe(10)], 1, 'verdict')).toMatchObject({
    ...{ isCut: true, closedAtMs: 1_310, endedAtMs: 1_600, published: 3, received: 4 },
  });
});

test('verdicts of steps behind the flag are waited for by nobody', () => {
  const judgings = [safe(5), unsafe(50), safe(9_000)];
  expect(end(judgings, 1, 'verdict').endedAtMs).toBe(1_250);
});

test('nothing stops a run whose verdicts are all safe, or only recorded: it ends with the last of them', () => {
  expect(end([safe(5), safe(5), safe(5), safe(5)], undefined)).toMatchObject({
    isCut: false,
    endedAtMs: 1_450,
  });
  expect(end([safe(5), unsafe(5), safe(5), safe(100)], 1)).toMatchObject({ isCut: false, published: 4 });
  expect(end([safe(5), safe(5), safe(5), safe(100)], undefined).endedAtMs).toBe(1_500);
});

test('no judgement stops a run that fails closed', () => {
  const failed: Judging = { kind: 'monitor_error', durationMs: 20 };
  expect(end([failed], undefined, 'monitor_error')).toMatchObject({
    isCut: true,
    closedAtMs: 1_120,
    published: 1,
  });
});

test('whatever the times, the flag was published, and no more is received than there is', () => {
  const times = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(times, times, fc.nat(7), (ends, durations, at) => {
      const steps = ends.map((endedAtMs, index) => ({
        ...{ index, channel: 'content' as const, text: '', tokens: 1, endedAtMs },
      }));
      const flagged = at % steps.length;
      const judgings = new Map(
        steps.slice(0, flagged + 1).map(({ index }) => {
          const durationMs = durations[index % durations.length] ?? 0;
          return [index, index === flagged ? unsafe(durationMs) : safe(durationMs)];
        }),
      );
      const got = simulateEnd({ chain: steps, closedAtMs: 3_000, judgings, stop: 'verdict', flagged });
      expect(got.published).toBeGreaterThan(flagged);
      expect(got.received).toBeGreaterThanOrEqual(got.published);
      expect(got.received).toBeLessThanOrEqual(steps.length);
      expect(got.endedAtMs).toBeGreaterThanOrEqual(got.closedAtMs);
    }),
  );
});
