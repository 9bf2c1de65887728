import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { cutUrlPasswords } from '../shared/observability/logger.ts';
import { formatPath, type SpecPath } from './parse-spec-text.ts';

/** Of JSON Schema, what tells the member names known at a path. */
interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly items?: JsonSchema | undefined;
  readonly anyOf?: readonly JsonSchema[] | undefined;
  readonly oneOf?: readonly JsonSchema[] | undefined;
}
const jsonSchemaSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.object({
    properties: z.record(z.string(), jsonSchemaSchema).optional(),
    items: jsonSchemaSchema.optional(),
    anyOf: z.array(jsonSchemaSchema).optional(),
    oneOf: z.array(jsonSchemaSchema).optional(),
  }),
);

const typeNames: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** What was validated, and the schema it was held against: the issues' paths start there. */
export interface Subject {
  readonly value: unknown;
  readonly schema: z.ZodType;
  /** Where the value stands within the spec. */
  readonly at: SpecPath;
}

/**
 * Says what is wrong, in one line: the path, what was given, what was expected. The first issue in full, the paths of
 * up to three more. Unknown keys come first: a misspelt key explains the one that is missing.
 */
export function explainIssues(issues: readonly z.core.$ZodIssue[], subject: Subject): string {
  const isUnknown = (issue: z.core.$ZodIssue): boolean => issue.code === 'unrecognized_keys';
  const [first, ...rest] = issues.toSorted((a, b) => Number(isUnknown(b)) - Number(isUnknown(a)));
  if (!first) return 'does not fit its schema';
  const more = [...new Set(rest.map((issue) => formatPath([...subject.at, ...pathOf(issue)])))];
  const named = more.slice(0, 3).join(', ') + (more.length > 3 ? ', ...' : '');
  return explainIssue(first, subject) + (more.length > 0 ? ` (also wrong: ${named})` : '');
}

function explainIssue(issue: z.core.$ZodIssue, subject: Subject): string {
  const path = pathOf(issue);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const known = knownKeys(subject.schema, path);
    const list = known.length > 0 ? `expected ${hint(key, known)}` : 'expected no member here';
    return `${formatPath([...subject.at, ...path, key])}: unknown key, ${list}`;
  }
  const given = valueAt(subject.value, path);
  const repeated = issue.code === 'custom' ? firstRepeated(given) : undefined;
  const got = repeated === undefined ? describeValue(given) : `${JSON.stringify(repeated)} twice`;
  return `${formatPath([...subject.at, ...path])}: got ${got}, expected ${describeExpected(issue, given)}`;
}

/** The first issue with its path, in zod's words: for a value that is no longer at hand. */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'does not fit'}`.replace(/^: /, '');
}

/** The nearest of the known names, or all of them. */
export function hint(given: string, known: readonly string[]): string {
  const near = known
    .map((name) => ({ name, apart: distance(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.apart - b.apart)[0];
  const list = known.length === 1 ? (known[0] ?? '') : `one of ${known.join(', ')}`;
  const isNear = near !== undefined && near.apart <= Math.max(2, Math.floor(given.length / 3));
  return isNear ? `${list} (did you mean ${near.name}?)` : list;
}

function describeExpected(issue: z.core.$ZodIssue, given: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return hint(typeof given === 'string' ? given : '', issue.values.map(String));
    case 'too_small':
      return `${issue.inclusive ? 'at least' : 'more than'} ${amount(issue.origin, issue.minimum)}`;
    case 'too_big':
      return `${issue.inclusive ? 'at most' : 'less than'} ${amount(issue.origin, issue.maximum)}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'an http:// or https:// URL' : ownWords(issue.message);
    case 'invalid_union':
      if ('options' in issue) return hint(typeof given === 'string' ? given : '', issue.options.map(String));
      return issue.errors
        .flatMap((errors) => errors.slice(0, 1).map((error) => describeExpected(error, given)))
        .join(', or ');
    default:
      return ownWords(issue.message);
  }
}

function amount(origin: string, bound: number | bigint): string {
  const unit = origin === 'string' ? ' character' : origin === 'array' ? ' entr' : '';
  if (unit === '') return String(bound);
  const isOne = Number(bound) === 1;
  return `${String(bound)}${unit}${origin === 'array' ? (isOne ? 'y' : 'ies') : isOne ? '' : 's'}`;
}

function ownWords(message: string): string {
  return message.replace(/^expected /, '');
}

/** A value in a few words: text and numbers as they stand, clipped, without URLs' passwords; of a list or mapping, its size. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${String(value.length)}`;
  if (typeof value === 'object' && value !== null) return 'a mapping';
  const text = cutUrlPasswords(JSON.stringify(value));
  return text.length > 80 ? `${text.slice(0, 76)}..."` : text;
}

/** The first entry that a list holds twice; of mappings, their ids count. */
function firstRepeated(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const named = z.union([z.string(), z.object({ id: z.string() }), z.object({ name: z.string() })]);
  const names = value.flatMap((item) => {
    const parsed = named.safeParse(item);
    if (!parsed.success) return [];
    return [
      typeof parsed.data === 'string' ? parsed.data : 'id' in parsed.data ? parsed.data.id : parsed.data.name,
    ];
  });
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** A bare name may stand for an entry's id and name: what a path names below a string is that string. */
function valueAt(value: unknown, path: SpecPath): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current === 'string') return current;
    if (typeof current !== 'object' || current === null) return undefined;
    current = Object.entries(current).find(([key]) => key === String(part))?.[1];
  }
  return current;
}

function knownKeys(schema: z.ZodType, path: SpecPath): string[] {
  const converted = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  let current: JsonSchema | undefined = jsonSchemaSchema.parse(converted);
  for (const part of path) {
    const next: JsonSchema | undefined = optionsOf(current)
      .map((option) => (typeof part === 'number' ? option.items : option.properties?.[part]))
      .find((found) => found !== undefined);
    if (!next) return [];
    current = next;
  }
  return [...new Set(optionsOf(current).flatMap((option) => Object.keys(option.properties ?? {})))];
}

function optionsOf(schema: JsonSchema): JsonSchema[] {
  return [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
}

function pathOf(issue: z.core.$ZodIssue): (string | number)[] {
  return issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
}
