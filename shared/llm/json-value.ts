/** A JSON object whose members have not been looked at. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object with members: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text, or `notJson`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return notJson;
  }
}

/** Stands for "this text is not JSON": no JSON text has this value. */
export const notJson = Symbol('not JSON');

/** A member as text: `''` when it is absent or no string. */
export function textMember(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

/** A member as an object: an empty one when it is absent or no object. */
export function objectMember(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** The objects in a member that is an array; empty when it is absent or no array. */
export function objectsMember(object: JsonObject, name: string): readonly JsonObject[] {
  const value: unknown = object[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
