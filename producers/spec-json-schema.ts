import { z } from 'zod';
import {
  attackSpecSchema,
  datasetSpecSchema,
  monitorSpecSchema,
  sweepSpecSchema,
} from '../shared/schemas/sweep-spec.ts';
import { attackNames, findAttack } from './attacks/registry.ts';
import { builtInDatasets } from './datasets/load-questions.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** `${NAME}` is put in before a spec is held against its schema, so it may stand where another form is asked for. */
const VARIABLE = '\\$\\{[^}]*\\}';

/** The draft that editors know best. */
function convert(schema: z.ZodType): JsonSchema {
  const converted = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === 'uri') jsonSchema.pattern = '^https?://';
      delete jsonSchema.format; // zod's own names, unknown to editors
      if (jsonSchema.pattern !== undefined) jsonSchema.pattern = `(?:${jsonSchema.pattern})|${VARIABLE}`;
    },
  });
  delete converted.$schema; // named once, at the top
  return converted;
}

function propertiesOf(schema: JsonSchema): NonNullable<JsonSchema['properties']> {
  return schema.properties ?? {};
}

/** An entry's id may be left out: it is its name then. */
function withoutId(schema: JsonSchema): JsonSchema {
  return { ...schema, required: (schema.required ?? []).filter((name) => name !== 'id') };
}

/** The names that an option of a union allows. */
function namesOf(option: JsonSchema): string[] {
  const name = propertiesOf(option).name;
  if (typeof name !== 'object') return [];
  return [name.const, ...(name.enum ?? [])].filter((value) => typeof value === 'string');
}

function attackEntries(): JsonSchema[] {
  const entry = withoutId(convert(attackSpecSchema));
  const shared = Object.entries(propertiesOf(entry)).filter(([name]) => !name.startsWith('module'));
  const known = attackNames.flatMap((name): JsonSchema[] => {
    const attack = findAttack(name);
    if (attack === undefined) return [];
    const parameters = convert(attack.parametersSchema);
    return [{ ...entry, properties: { ...Object.fromEntries(shared), name: { const: name }, parameters } }];
  });
  return [{ enum: [...attackNames] }, ...known, { ...entry, required: ['name', 'module'] }];
}

function monitorEntries(): JsonSchema[] {
  const options = monitorSpecSchema.options.map((option) => withoutId(convert(option)));
  const complete = options.filter(({ required }) => required?.every((name) => name === 'name'));
  return [{ enum: complete.flatMap(namesOf) }, ...options];
}

function datasetEntries(): JsonSchema[] {
  return [{ enum: [...builtInDatasets] }, convert(datasetSpecSchema)];
}

/**
 * The JSON Schema (draft 7) of a spec as a person writes it: defaults may be left out, list entries may be bare names,
 * and each attack's parameters are typed. What one entry says about another (ids that differ, timeouts that fit
 * together) is left to `loadSpec`.
 */
export function buildSpecJsonSchema(): JsonSchema {
  const { properties = {}, ...spec } = convert(sweepSpecSchema);
  const list = (name: string, entries: readonly JsonSchema[]): JsonSchema => {
    const own = properties[name];
    return { ...(typeof own === 'object' ? own : {}), items: { anyOf: [...entries] } };
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Haltline sweep spec',
    ...spec,
    properties: {
      ...properties,
      attacks: list('attacks', attackEntries()),
      datasets: list('datasets', datasetEntries()),
      monitors: list('monitors', monitorEntries()),
    },
  };
}
