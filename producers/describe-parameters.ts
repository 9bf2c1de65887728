import { z } from 'zod';

/** A setting as a list of settings shows it. */
export interface ParameterDescription {
  /** With dots where it lies within another: `config.model`. */
  readonly name: string;
  /** `text`, `number`, `whole number`, `true or false`, `list`, `mapping`, or the values allowed: `mdp | sudoku`. */
  readonly type: string;
  readonly isRequired: boolean;
  /** Absent: none, the setting may be left out. */
  readonly default?: unknown;
  readonly description: string;
}

/** Of JSON Schema, what is shown. */
interface JsonSchema {
  readonly type?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string | undefined;
  readonly required?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly anyOf?: readonly JsonSchema[] | undefined;
}
const jsonSchemaSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.object({
    type: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    default: z.unknown().optional(),
    description: z.string().optional(),
    required: z.array(z.string()).optional(),
    properties: z.record(z.string(), jsonSchemaSchema).optional(),
    anyOf: z.array(jsonSchemaSchema).optional(),
  }),
);

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
  array: 'list',
  object: 'mapping',
};

function typeOf(schema: JsonSchema): string {
  if (typeof schema.const === 'string') return schema.const;
  if (schema.enum !== undefined) return schema.enum.map(String).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  return typeNames[schema.type ?? ''] ?? schema.type ?? 'any';
}

function describe(schema: JsonSchema, prefix: string): ParameterDescription[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, own]): ParameterDescription[] => {
    const name = `${prefix}${key}`;
    if (own.properties !== undefined) return describe(own, `${name}.`);
    const isRequired = schema.required?.includes(key) ?? false;
    const { description = '' } = own;
    const initial = own.default === undefined ? {} : { default: own.default };
    return [{ name, type: typeOf(own), isRequired, ...initial, description }];
  });
}

/** The settings that a schema of a mapping takes, nested ones by their full names. Empty for any other schema. */
export function describeParameters(schema: z.ZodType): ParameterDescription[] {
  const converted = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return describe(jsonSchemaSchema.parse(converted), '');
}
