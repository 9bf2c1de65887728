import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from '../../../shared/core/canonical-json.ts';
import { hashJson, seedFrom } from '../../../shared/hash.ts';

it('canonical JSON sorts keys at every depth and leaves out undefined members', () => {
  expect(canonicalJson({ b: [{ z: 1, y: 'ü"' }], a: undefined, B: null, 10: true, 9: 0 })).toBe(
    '{"10":true,"9":0,"B":null,"b":[{"y":"ü\\"","z":1}]}',
  );
});

it('canonical JSON is the same whatever order members were written in, and parses to the same data', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const backwards = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(backwards)).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('canonical JSON refuses what JSON cannot say', () => {
  for (const value of [NaN, Infinity, undefined, [undefined], () => 1, 1n]) {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  }
});

it('a hash is that of the canonical text, and a seed its first 31 bits', () => {
  // printf '{"a":1}' | sha256sum
  expect(hashJson({ a: 1 })).toBe('015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862');
  expect(seedFrom({ a: 1 })).toBe(Math.floor(0x015abd7f / 2));
});
