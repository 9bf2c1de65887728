import { expect, test } from 'vitest';
import { callMoney, nanoMoney, pricesById, unpricedModels, worstMoney } from '../../../shared/core/spend.ts';
import { sweepSpecSchema } from '../../../shared/schemas/sweep-spec.ts';

const apiBaseUrl = 'http://127.0.0.1:1/v1';

function specWith(prices: object) {
  return sweepSpecSchema.parse({
    name: 'priced',
    targets: [
      { id: 'one', config: { apiBaseUrl, model: 'a' } },
      { id: 'two', config: { apiBaseUrl, model: 'toString' } },
    ],
    attacks: ['badchain'],
    datasets: ['arithmetic'],
    monitors: ['rules', { id: 'judge', name: 'llm', config: { apiBaseUrl, model: 'm' } }],
    prices,
  });
}

test('the worst price of a request is its prompt and its whole token limit', () => {
  expect(worstMoney({ input: 2, output: 10 }, { prompt: 500, completion: 2_000 })).toBeCloseTo(0.021, 12);
  expect(worstMoney(undefined, { prompt: 500, completion: 2_000 })).toBe(0);
});

test('cached tokens of a call have a price of their own, and cost as others without one', () => {
  const use = { tokensIn: 1_000, tokensCached: 600, tokensOut: 100 };
  expect(callMoney({ input: 1, output: 4, cached: 0.1 }, use)).toBeCloseTo(0.00086, 12);
  expect(callMoney({ input: 1, output: 4 }, use)).toBeCloseTo(0.0014, 12);
  expect(callMoney(undefined, use)).toBeUndefined();
});

test('money is counted in whole billionths, rounded up', () => {
  expect([0, 1e-9, 1.5e-10, 0.021].map(nanoMoney)).toEqual([0, 1, 1, 21_000_000]);
});

test('prices of models become prices of targets and monitors; what has none is named, and is not free', () => {
  const spec = specWith({ a: { inputPerMTok: 1, outputPerMTok: 2, cachedInputPerMTok: 0.5 } });
  expect(pricesById(spec)).toEqual({ targets: { one: { input: 1, output: 2, cached: 0.5 } }, monitors: {} });
  expect(unpricedModels(spec)).toEqual(['toString', 'm']);
  expect(unpricedModels(specWith({}))).toEqual(['a', 'toString', 'm']);
});
