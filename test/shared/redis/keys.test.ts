import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeys } from '../../../shared/redis/keys.ts';

/** Ids as specs give them, and such as nobody should: with braces, empty, like another's tag. */
const sweepIds = fc.oneof(
  fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}-[0-9a-f]{12}$/),
  fc.string(),
  fc.constantFrom('', '{', '}', '{}', '}{', '{a}', 'a}b', '%', '%7B', 'a/1', '}:results', '\u{1f600}'),
);
const places = fc.nat({ max: 10_000_000 });

/**
 * What Redis Cluster hashes of a key: what stands between the first `{` and the next `}`, if that is anything, else the
 * whole key. Keys with one tag lie on one slot.
 */
function tagOf(key: string): string {
  return /^[^{]*\{([^}]+)\}/s.exec(key)?.[1] ?? key;
}

function tagsOf(names: object): string[] {
  return [...new Set(Object.values<string>({ ...names }).map(tagOf))];
}

describe('keys', () => {
  const keys = createKeys('hl');

  test('all keys of a sweep have one hash tag, whatever its id', () => {
    fc.assert(
      fc.property(sweepIds, (sweep) => {
        expect(tagsOf(keys.sweep(sweep))).toHaveLength(1);
      }),
    );
  });

  test('all keys of a run have one hash tag, whatever its sweep and place', () => {
    fc.assert(
      fc.property(sweepIds, places, (sweep, place) => {
        expect(tagsOf(keys.run(sweep, place))).toHaveLength(1);
      }),
    );
  });

  test('each run has a tag of its own, so that a sweep is spread over slots', () => {
    const tags = [0, 1, 2].map((place) => tagsOf(keys.run('sweep', place)));
    expect(tags).toEqual([['sweep/0'], ['sweep/1'], ['sweep/2']]);
    expect(tagsOf(keys.sweep('sweep'))).toEqual(['sweep']);
  });

  test('two sweeps, and two runs, never share a key', () => {
    const runs = fc.record({ sweep: sweepIds, place: places });
    fc.assert(
      fc.property(runs, runs, (one, other) => {
        fc.pre(one.sweep !== other.sweep || one.place !== other.place);
        const names = [one, other].flatMap(({ sweep, place }) =>
          Object.values<string>({
            ...keys.run(sweep, place),
            ...(sweep === one.sweep ? {} : keys.sweep(sweep)),
          }),
        );
        expect(new Set([...names, ...Object.values<string>({ ...keys.sweep(one.sweep) })]).size).toBe(
          names.length + Object.keys(keys.sweep('')).length,
        );
      }),
    );
  });

  test('each key has its own name', () => {
    const names = [
      ...Object.values<string>({ ...keys.sweep('s') }),
      ...Object.values<string>({ ...keys.run('s', 1) }),
      ...[keys.liveSweeps, keys.deadLetters, keys.deadLetterCount, keys.channel('w')],
    ];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name.startsWith('hl:')).toBe(true);
  });

  test('a queue has a tag of its own, and a name that BullMQ takes', () => {
    const names = [keys.monitorQueue, keys.generationQueue('gpt-4o'), keys.generationQueue('monitor')];
    expect(names).toEqual(['{hl-monitor}', '{hl-gen-gpt-4o}', '{hl-gen-monitor}']);
    for (const name of names) expect(name).not.toContain(':');
  });

  test('two prefixes share nothing', () => {
    const other = createKeys('hl2');
    expect(other.sweep('s').results).not.toBe(keys.sweep('s').results);
    expect(other.monitorQueue).not.toBe(keys.monitorQueue);
    expect(other.channel('w')).not.toBe(keys.channel('w'));
  });
});
