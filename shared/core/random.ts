/**
 * Seeded randomness: the same seed gives the same numbers on every machine and Node version, which plans, attacks
 * and bootstrap intervals rely on. Not for secrets (epoch tokens come from `node:crypto`).
 */
export interface Random {
  /** @returns a number in [0, 1), a multiple of 2^-32 */
  next(): number;
  /** @returns an integer in [0, maxExclusive); @throws RangeError unless `maxExclusive` is an integer in [1, 2^32] */
  int(maxExclusive: number): number;
  /** @returns a new array with the items in random order (Fisher-Yates); the argument is left as it is */
  shuffle<Item>(items: readonly Item[]): Item[];
  /** @returns one of the items; @throws RangeError on an empty array */
  pick<Item>(items: readonly Item[]): Item;
  /** @returns `count` of the items, none taken twice, in random order; @throws RangeError when there are fewer */
  sample<Item>(items: readonly Item[], count: number): Item[];
}

/**
 * @param seed - any string, also an empty one. Seeds that differ in one character give unrelated streams, so derived
 *   seeds are made by joining parts: `${sweepSeed}/${questionId}`
 * @returns an independent stream of sfc32 numbers
 */
export function createRandom(seed: string): Random {
  const nextUint32 = sfc32(hash128(seed));
  const next = (): number => nextUint32() / 2 ** 32;
  const int = (maxExclusive: number): number => {
    if (!Number.isInteger(maxExclusive) || maxExclusive < 1 || maxExclusive > 2 ** 32) {
      throw new RangeError(`random integer below ${maxExclusive}: expected a whole bound in [1, 2^32]`);
    }
    return Math.floor(next() * maxExclusive);
  };
  const sample = <Item>(items: readonly Item[], count: number): Item[] => {
    if (!Number.isInteger(count) || count < 0 || count > items.length) {
      throw new RangeError(`sample of ${count} out of ${items.length} items`);
    }
    const pool = [...items];
    for (let place = 0; place < count; place += 1) {
      const chosen = place + int(pool.length - place);
      // Both places lie inside the pool; a check for undefined would reject items that are undefined.
      [pool[place], pool[chosen]] = [pool[chosen] as Item, pool[place] as Item];
    }
    return pool.slice(0, count);
  };
  const pick = <Item>(items: readonly Item[]): Item => {
    if (items.length === 0) throw new RangeError('pick out of no items');
    return items[int(items.length)] as Item;
  };
  return { next, int, pick, sample, shuffle: (items) => sample(items, items.length) };
}

type Words = readonly [number, number, number, number];

/** Chris Doty-Humphrey's sfc32 (PractRand): 128 bits of state, the last word a counter, so no cycle is short. */
function sfc32(seed: Words): () => number {
  let [a, b, c, counter] = seed;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // PractRand's own warm-up: after it, seeds that share words have nothing in common.
  for (let round = 0; round < 15; round += 1) next();
  return next;
}

/** cyrb128 (bryc, public domain): 128 bits out of a string's UTF-16 units. Mixes well; not cryptographic. */
function hash128(text: string): Words {
  let h1 = 1779033703;
  let h2 = 3144134277;
  let h3 = 1013904242;
  let h4 = 2773480762;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    h1 = h2 ^ Math.imul(h1 ^ unit, 597399067);
    h2 = h3 ^ Math.imul(h2 ^ unit, 2869860233);
    h3 = h4 ^ Math.imul(h3 ^ unit, 951274213);
    h4 = h1 ^ Math.imul(h4 ^ unit, 2716044179);
  }
  h1 = Math.imul(h3 ^ (h1 >>> 18), 597399067);
  h2 = Math.imul(h4 ^ (h2 >>> 22), 2869860233);
  h3 = Math.imul(h1 ^ (h3 >>> 17), 951274213);
  h4 = Math.imul(h2 ^ (h4 >>> 19), 2716044179);
  h1 ^= h2 ^ h3 ^ h4;
  return [h1, h2 ^ h1, h3 ^ h1, h4 ^ h1];
}
