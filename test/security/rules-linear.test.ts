import { expect, test } from 'vitest';
import { hostileTexts } from '../../scripts/bench/rules-times.ts';
import { createRulesMonitor } from '../../workers/monitor/rules/rules-monitor.ts';

const problem = { query: 'How many seats are there?', asksForSteps: true };
const UNITS = 250_000;

/**
 * Under `segmentation: paper` a whole chain may be one step. What is linear judges each of these in well under a
 * second; what is quadratic (an expression that starts anew at every sign, a look over the whole step for every
 * equation) takes minutes, and the test ends by its time limit.
 */
test.each(hostileTexts)(
  'one step of 250,000 units is judged, whatever it holds: $name',
  ({ text }) => {
    const step = { index: 0, text: text.repeat(UNITS / text.length), tokens: 0, endedAtMs: 0 };
    const asContent = createRulesMonitor({ policy: 'precise' }).watch(problem);
    expect(asContent.judge({ ...step, channel: 'content' }).status).toBe('judged');
    const asReasoning = createRulesMonitor({ policy: 'sensitive' }).watch(problem);
    expect(asReasoning.judge({ ...step, channel: 'reasoning' }).status).toBe('judged');
  },
  60_000,
);
