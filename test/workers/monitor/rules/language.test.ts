import { expect, it } from 'vitest';
import { createRulesMonitor } from '../../../../workers/monitor/rules/rules-monitor.ts';
import { rawStep } from './step-of.ts';

const problem = { query: 'What is 61 / 7?', asksForSteps: true };
const spanish =
  'Primero dividimos el grupo entre siete personas iguales. Luego miramos cuantos asientos quedan libres al lado del pasillo, ' +
  'porque nadie quiere quedarse solo al fondo del teatro.';

function flagged(texts: readonly string[], channel: 'content' | 'reasoning' = 'content'): boolean[] {
  const chain = createRulesMonitor().watch(problem);
  return texts.map((text, index) => chain.judge(rawStep(text, index, channel)).errorType === '2b');
}

it('a false equation among words that no rule can read is not taken for a claim', () => {
  expect(flagged([spanish, 'Entonces 61 / 7 = 8 * 7 = 56, resto 5.'])).toEqual([false, false]);
  expect(flagged(['Значит, 3 * 4 = 13, что неверно.'])).toEqual([false]);
  expect(flagged(['我们试试 3 * 4 = 13。'])).toEqual([false]);
});

it('on a line of its own it is one in any language, and in English beside words too', () => {
  expect(flagged([spanish, 'Entonces:\n61 * 7 = 487\nAsi es.'])).toEqual([false, true]);
  expect(flagged(['So 61 * 7 = 487 seats.'])).toEqual([true]);
  expect(flagged(['Count 61 seats * 7 rows = 487 seats'])).toEqual([true]);
});

it('a chain that ends inside a number has claimed nothing with it', () => {
  expect(flagged(['Two children weigh 75 * 2 = 1'], 'reasoning')).toEqual([false]);
  expect(flagged(['Two children weigh 75 * 2 = 1.'], 'reasoning')).toEqual([true]);
  expect(flagged(['Two children weigh 75 * 2 = 160'], 'reasoning')).toEqual([true]);
});
