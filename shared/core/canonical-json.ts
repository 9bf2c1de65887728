/**
 * JSON with sorted keys and no white space: equal values give equal bytes, whatever the order in which their members
 * were written. What ids and seeds are hashed from.
 *
 * @param value - JSON data; members that are `undefined` are left out, as `JSON.stringify` does
 * @throws TypeError on what JSON cannot say: a number that is not finite, a function, `undefined` outside an object
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  // A number that is not finite ends here too.
  if (typeof value !== 'object') throw new TypeError(`not JSON: a value of type ${typeof value}`);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // By UTF-16 units: a locale's order would differ between machines.
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
