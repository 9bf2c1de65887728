import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counts } from '../../../workers/metrics/number-column.ts';

test('whatever places are set, in whatever order, are read back; the others read as 0', () => {
  const place = fc.oneof(fc.nat(20), fc.nat(10_000));
  fc.assert(
    fc.property(fc.array(fc.tuple(place, fc.nat(1_000))), (sets) => {
      const column = counts();
      const expected = new Map<number, number>();
      for (const [index, value] of sets) {
        column.set(index, value);
        expected.set(index, value);
      }
      const length = Math.max(0, ...[...expected.keys()].map((index) => index + 1));
      expect(column.length).toBe(length);
      expect(column.toArray()).toEqual(Array.from({ length }, (_, index) => expected.get(index) ?? 0));
    }),
  );
});

test('a column grows past its first chunk by pushing', () => {
  const column = counts();
  for (let value = 0; value < 5_000; value += 1) column.push(value);
  expect(column.toArray()).toEqual(Array.from({ length: 5_000 }, (_, value) => value));
  expect(column.at(5_000)).toBe(0);
});
