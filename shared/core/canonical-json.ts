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
  // Entries, not a lookup by name: `value` is an object of any type.
  const members = new Map<string, unknown>(Object.entries(value));
  let text = '';
  // By UTF-16 units: a locale's order would differ between machines.
  for (const key of [...members.keys()].sort()) {
    const member = members.get(key);
    if (member !== undefined)
      text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}
