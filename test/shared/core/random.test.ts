import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../shared/core/random.ts';

describe('seeded random', () => {
  test('a seed gives the same numbers for ever', () => {
    const random = createRandom('haltline');
    expect([random.next(), random.next(), random.next()]).toMatchInlineSnapshot(`
      [
        0.5826196614652872,
        0.39734112843871117,
        0.2476663349661976,
      ]
    `);
    expect(createRandom('').next()).toMatchInlineSnapshot(`0.5636194369290024`);
    expect(createRandom('haltline').shuffle([0, 1, 2, 3, 4, 5, 6, 7])).toMatchInlineSnapshot(`
      [
        4,
        3,
        1,
        6,
        0,
        7,
        2,
        5,
      ]
    `);
  });

  test('seeds that differ in one character give unrelated streams', () => {
    const firsts = Array.from({ length: 1_000 }, (_, index) => createRandom(`seed/${index}`).next());
    expect(new Set(firsts).size).toBe(1_000);
    expect(chiSquare(firsts.map((first) => Math.floor(first * 10)))).toBeLessThan(27.9);
  });

  test('numbers fill [0, 1) evenly', () => {
    const random = createRandom('uniform');
    const tenths = Array.from({ length: 10_000 }, () => Math.floor(random.next() * 10));
    // 27.9 is the 99.9% point of chi-square with 9 degrees of freedom.
    expect(chiSquare(tenths)).toBeLessThan(27.9);
  });

  test('every order of three items comes up equally often', () => {
    const random = createRandom('orders');
    const orders = new Map<string, number>();
    for (let round = 0; round < 6_000; round += 1) {
      const order = random.shuffle(['a', 'b', 'c']).join('');
      orders.set(order, (orders.get(order) ?? 0) + 1);
    }
    expect(orders.size).toBe(6);
    for (const count of orders.values()) expect(Math.abs(count - 1_000)).toBeLessThan(120);
  });

  test('an integer stays below its bound, and every one is reached', () => {
    const random = createRandom('int');
    const drawn = new Set(Array.from({ length: 500 }, () => random.int(7)));
    expect([...drawn].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(random.int(1)).toBe(0);
    for (const bound of [0, -1, 1.5, NaN, Infinity]) expect(() => random.int(bound)).toThrow(RangeError);
  });

  test('a shuffle keeps the items and leaves its argument alone', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.string(), (items, seed) => {
        const before = [...items];
        const shuffled = createRandom(seed).shuffle(items);
        expect(items).toEqual(before);
        expect([...shuffled].sort((a, b) => a - b)).toEqual([...items].sort((a, b) => a - b));
      }),
    );
  });

  test('a sample takes no place twice', () => {
    const items = Array.from({ length: 20 }, (_, index) => index);
    const sample = createRandom('sample').sample(items, 8);
    expect(new Set(sample).size).toBe(8);
    expect(createRandom('sample').sample(items, 0)).toEqual([]);
    expect(() => createRandom('sample').sample(items, 21)).toThrow('sample of 21 out of 20 items');
    expect(() => createRandom('sample').sample(items, -1)).toThrow(RangeError);
  });

  test('a pick is one of the items, and out of none there is none', () => {
    const random = createRandom('pick');
    const picked = new Set(Array.from({ length: 100 }, () => random.pick(['x', 'y'])));
    expect([...picked].sort()).toEqual(['x', 'y']);
    expect(() => random.pick([])).toThrow('pick out of no items');
  });
});

function chiSquare(tenths: readonly number[]): number {
  const counts = new Array<number>(10).fill(0);
  for (const tenth of tenths) counts[tenth] = (counts[tenth] ?? 0) + 1;
  const expected = tenths.length / 10;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}
