import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSpec } from '../../producers/load-spec.ts';
import { temporaryFolder, writeSpec } from '../support/processes.ts';

async function load(changes: object, prices?: string) {
  const dir = await temporaryFolder();
  if (prices !== undefined) await writeFile(join(dir, 'prices.yaml'), prices);
  const path = await writeSpec(dir, {
    name: 'priced',
    targets: [{ id: 'one', config: { apiBaseUrl: 'http://127.0.0.1:1/v1', model: 'a' } }],
    attacks: ['badchain'],
    datasets: ['arithmetic'],
    ...changes,
  });
  return (await loadSpec(path, {})).spec;
}

const price = { inputPerMTok: 1, outputPerMTok: 2 };

describe('prices', () => {
  test('are read from a file, under those of the spec itself', async () => {
    const file = 'a: {inputPerMTok: 5, outputPerMTok: 5}\nb: {inputPerMTok: 3, outputPerMTok: 4}\n';
    const spec = await load({ pricesFile: 'prices.yaml', prices: { a: price } }, file);
    expect(spec.prices).toEqual({ a: price, b: { inputPerMTok: 3, outputPerMTok: 4 } });
  });

  test('that make no sense are refused with the name of their file', async () => {
    const loading = load({ pricesFile: 'prices.yaml' }, 'a: {inputPerMTok: -5, outputPerMTok: 5}\n');
    await expect(loading).rejects.toMatchObject({
      code: 'SPEC_INVALID',
      message: expect.stringMatching(/^prices\.yaml: a\.inputPerMTok: /) as string,
    });
  });

  test('a spend cap over a model without a price is refused, and one of 0 is a price', async () => {
    await expect(load({ limits: { maxCost: 1 } })).rejects.toMatchObject({
      code: 'SPEC_INVALID',
      message: expect.stringContaining(
        'limits.maxCost: no price for the model "a", expected one in prices',
      ) as string,
    });
    const free = { a: { inputPerMTok: 0, outputPerMTok: 0 } };
    expect((await load({ limits: { maxCost: 1 }, prices: free })).limits.maxCost).toBe(1);
    expect((await load({ limits: { maxTokens: 1 } })).prices).toEqual({});
  });
});
