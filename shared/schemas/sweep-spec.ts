import { z } from 'zod';
import { arms, armSchema } from './arm.ts';
import { problemSightSchema } from './problem.ts';
import { extractorNameSchema } from './question.ts';

/** Ids stand in keys, metric labels and folder names, so they are short and plain. */
export const slugSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'expected 1 to 63 of a-z 0-9 . _ -, starting with a letter or digit');

const positiveInt = z.int().positive();
const milliseconds = z.int().positive();

export const decodingSchema = z.strictObject({
  maxTokens: positiveInt.default(2048).describe('Hard bound on generated tokens; always sent'),
  temperature: z.exactOptional(z.number().min(0).max(2)),
  topP: z.exactOptional(z.number().min(0).max(1)),
  stop: z.exactOptional(z.array(z.string()).max(4)),
});
export type Decoding = z.infer<typeof decodingSchema>;

function hasNoCredentials(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { username, password } = new URL(url);
  return username === '' && password === '';
}

/** Where a model is asked, and how. */
const modelConfigShape = {
  apiBaseUrl: z
    .url({ protocol: /^https?$/ })
    // It stands in Redis, in results and on screens.
    .refine(hasNoCredentials, 'expected no user and password in the address: name a variable as apiKeyEnv')
    .describe('Base URL of an OpenAI-compatible API, usually ending in /v1'),
  apiKeyEnv: z.exactOptional(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable, never a key'),
  ),
  model: z.string().min(1),
  revision: z.exactOptional(z.string()).describe('Names the weights, where the model name does not'),
  api: z.enum(['chat', 'completions', 'responses']).default('chat'),
  maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
  extraBody: z.record(z.string(), z.unknown()).default({}).describe('Vendor fields, sent untouched'),
};

/** What a model can take, over all workers. What is left out is not limited. */
export const modelLimitsSchema = z.strictObject({
  requestsPerMinute: z
    .exactOptional(positiveInt)
    .describe('Requests that reach the server within any 60 s, retries included, at most'),
  tokensPerMinute: z
    .exactOptional(positiveInt)
    .describe(
      'Tokens of the requests of any 60 s, prompt and completion, at most; a request counts with its whole maxTokens until it ends',
    ),
  maxConcurrency: z.exactOptional(positiveInt).describe('Requests under way at once, at most'),
});
export type ModelLimits = z.infer<typeof modelLimitsSchema>;

export const targetSpecSchema = z.strictObject({
  id: slugSchema,
  label: z.exactOptional(z.string()),
  config: z.strictObject(modelConfigShape),
  reasoning: z.enum(['visible', 'none', 'hidden', 'auto']).default('auto'),
  think: z.enum(['auto', 'implicit_open', 'off']).default('auto'),
  harmony: z.union([z.literal('auto'), z.boolean()]).default('auto'),
  decoding: decodingSchema.prefault({}),
  concurrency: positiveInt.max(10_000).default(16).describe('Requests in flight per generation worker'),
  limits: z.exactOptional(modelLimitsSchema).describe('What the target can take, over all workers'),
  timeouts: z
    .strictObject({
      firstPayloadMs: milliseconds.default(600_000),
      idleMs: milliseconds.default(120_000),
      totalMs: milliseconds.default(1_800_000),
    })
    .prefault({}),
});
export type TargetSpec = z.infer<typeof targetSpecSchema>;

export const attackSpecSchema = z.strictObject({
  id: slugSchema,
  name: z.string().min(1),
  module: z
    .exactOptional(z.string().min(1))
    .describe("A module (.mjs, .ts) that exports an attack of one's own of this name; relative to the spec"),
  moduleSha256: z
    .exactOptional(z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits'))
    .describe("The SHA-256 of the module's bytes, noted when the spec is loaded; given, it must be this"),
  parameters: z.record(z.string(), z.unknown()).default({}),
});
export type AttackSpec = z.infer<typeof attackSpecSchema>;

export const datasetSpecSchema = z.strictObject({
  id: slugSchema,
  path: z
    .exactOptional(z.string())
    .describe('A JSONL file of questions; without it, the built-in set of this id'),
  extractor: z.exactOptional(extractorNameSchema).describe('How answers are found; default: by the data set'),
  limit: z.exactOptional(positiveInt).describe('Take this many questions, sampled by the seed'),
});
export type DatasetSpec = z.infer<typeof datasetSpecSchema>;

/** Where the chain stands in a prompt of one's own. */
export const INPUT_PLACEHOLDER = '{{input}}';

const anyMonitorShape = { id: slugSchema, sees: problemSightSchema.default('user') };
const rulesShape = { policy: z.enum(['precise', 'sensitive']).default('precise') };

/** What every monitor that asks a model has. */
const modelMonitorShape = {
  config: z.strictObject({
    ...modelConfigShape,
    maxTokens: positiveInt
      .default(1024)
      .describe("Hard bound on a reply, the model's own reasoning included; doubled after a cut reply"),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .nullable()
      .default(0)
      .describe('null: not sent, for models that refuse it'),
  }),
  limits: z.exactOptional(modelLimitsSchema).describe('What the model can take, over all workers'),
  window: z
    .exactOptional(z.int().min(2))
    .describe('Steps shown at most, the oldest left out in blocks; default: all'),
  promptFile: z
    .exactOptional(z.string())
    .describe(`A prompt of one's own, with ${INPUT_PLACEHOLDER} where the chain goes`),
  prompt: z
    .exactOptional(
      z
        .string()
        .refine(
          (text) => text.split(INPUT_PLACEHOLDER).length === 2,
          `expected a text with ${INPUT_PLACEHOLDER} in it, once`,
        ),
    )
    .describe('The text of promptFile, which is read when the spec is loaded'),
  structured: z
    .enum(['auto', 'json_schema', 'json_object', 'text'])
    .default('auto')
    .describe('How the reply is held to JSON; auto: as strictly as the endpoint allows'),
  timeouts: z
    .strictObject({
      firstPayloadMs: milliseconds.default(60_000),
      idleMs: milliseconds.default(30_000),
      totalMs: milliseconds
        .default(30_000)
        .describe('One judgement, its retries included; at most half of monitor.stepTimeoutMs'),
    })
    .prefault({}),
};

export const monitorSpecSchema = z.discriminatedUnion('name', [
  z.strictObject({ ...anyMonitorShape, name: z.literal('rules'), ...rulesShape }),
  z.strictObject({ ...anyMonitorShape, name: z.enum(['llm', 'vanilla']), ...modelMonitorShape }),
  z.strictObject({ ...anyMonitorShape, name: z.literal('cascade'), ...rulesShape, ...modelMonitorShape }),
]);
export type MonitorSpec = z.infer<typeof monitorSpecSchema>;
export type ModelMonitorSpec = Extract<MonitorSpec, { config: unknown }>;

export function asksModel(spec: MonitorSpec): spec is ModelMonitorSpec {
  return 'config' in spec;
}

/** A list entry may be a bare name: `badchain` stands for `{ id: badchain, name: badchain }`. */
function orName<Schema extends z.ZodType>(schema: Schema, fields: readonly ('id' | 'name')[]) {
  return z.preprocess((value) => {
    if (typeof value === 'string') return Object.fromEntries(fields.map((field) => [field, value]));
    const named = z.object({ name: z.string() }).loose().safeParse(value);
    return named.success && !('id' in named.data) && fields.includes('id')
      ? { id: named.data.name, ...named.data }
      : value;
  }, schema);
}

function unique<Item>(key: (item: Item) => string) {
  return (items: readonly Item[]) => new Set(items.map(key)).size === items.length;
}

/** What a model asks for a million tokens, in any one currency. */
export const modelPriceSchema = z.strictObject({
  inputPerMTok: z.number().nonnegative(),
  outputPerMTok: z.number().nonnegative(),
  cachedInputPerMTok: z
    .exactOptional(z.number().nonnegative())
    .describe('Input that the server had in its cache; default: as other input'),
});
/** Prices by model name, as `config.model` has it. A model that is not in it has no price, which is not a price of 0. */
export const modelPricesSchema = z.record(z.string().min(1), modelPriceSchema);
export type ModelPrices = z.infer<typeof modelPricesSchema>;

export const limitsSchema = z
  .strictObject({
    epochs: positiveInt
      .default(3)
      .describe('Starts of a run after output had begun, at most; crashes do not count'),
    attempts: positiveInt
      .default(4)
      .describe('Requests of one epoch before its first byte of output, at most'),
    windowJobs: positiveInt.default(10_000).describe('Waiting jobs in Redis, at most'),
    windowBytes: positiveInt.default(16_000_000),
    backlogBytes: positiveInt.default(16_000_000).describe('Committed bytes not yet on disk, at most'),
    maxCost: z
      .exactOptional(z.number().positive())
      .describe('Money of targets and monitors, at most; every model needs a price'),
    maxTokens: z
      .exactOptional(positiveInt)
      .describe('Tokens of targets and monitors, prompts included, at most'),
    maxRuns: z.exactOptional(positiveInt).describe('Runs, at most'),
    maxWallTimeMinutes: z
      .exactOptional(z.number().positive())
      .describe('Minutes after a start of the sweep in which runs begin; each start has as many'),
  })
  .prefault({});

export const monitoringSchema = z
  .strictObject({
    attachTimeoutMs: milliseconds.default(60_000).describe('How long a run waits for a monitor to watch it'),
    stepTimeoutMs: milliseconds.default(60_000).describe('How long a step waits for its verdict'),
    chains: z
      .exactOptional(positiveInt)
      .describe(
        'Chains watched at once per monitor worker (default 500, or 32 where a monitor asks a model)',
      ),
    inFlight: positiveInt
      .max(10_000)
      .default(32)
      .describe('Judgements by a model at once per monitor worker'),
  })
  .prefault({});

const sweepSpecShape = z.strictObject({
  name: slugSchema.describe('Names the sweep in folders and metrics'),
  description: z.exactOptional(z.string()),
  seed: z.int().nonnegative().default(0),
  repeat: positiveInt.max(10_000).default(1).describe('Runs of each case, each with its own decoding seed'),
  targets: z
    .array(targetSpecSchema)
    .min(1)
    .refine(
      unique((target: TargetSpec) => target.id),
      'target ids must differ',
    ),
  attacks: z
    .array(orName(attackSpecSchema, ['id', 'name']))
    .min(1)
    .refine(
      unique((attack: AttackSpec) => attack.id),
      'attack ids must differ',
    ),
  datasets: z
    .array(orName(datasetSpecSchema, ['id']))
    .min(1)
    .refine(
      unique((dataset: DatasetSpec) => dataset.id),
      'data set ids must differ',
    ),
  monitors: z
    .array(orName(monitorSpecSchema, ['id', 'name']))
    .default([{ id: 'rules', name: 'rules', sees: 'user', policy: 'precise' }])
    .refine(
      unique((monitor: MonitorSpec) => monitor.id),
      'monitor ids must differ',
    ),
  arms: z
    .array(armSchema)
    .min(1)
    .default([...arms])
    .refine(
      unique((arm: string) => arm),
      'arms must differ',
    ),
  intervention: z.enum(['halt', 'flag']).default('halt'),
  fail: z.enum(['open', 'closed']).default('closed').describe('What an unjudged step does to a guarded run'),
  segmentation: z.enum(['haltline', 'paper']).default('haltline'),
  limits: limitsSchema,
  prices: modelPricesSchema.default({}).describe('What models cost; a spend cap and cost figures need it'),
  pricesFile: z
    .exactOptional(z.string())
    .describe('A YAML or JSON file of prices, read when the spec is loaded; `prices` wins over it'),
  monitor: monitoringSchema,
  output: z.strictObject({ dir: z.string().default('results') }).prefault({}),
});

/** A judgement that may take as long as a step waits for it would come too late. */
export const sweepSpecSchema = sweepSpecShape.superRefine((spec, context) => {
  for (const [index, monitor] of spec.monitors.entries()) {
    if (!asksModel(monitor) || 2 * monitor.timeouts.totalMs <= spec.monitor.stepTimeoutMs) continue;
    context.addIssue({
      code: 'custom',
      path: ['monitors', index, 'timeouts', 'totalMs'],
      input: monitor.timeouts.totalMs,
      message: `expected at most half of monitor.stepTimeoutMs, which is ${spec.monitor.stepTimeoutMs}`,
    });
  }
});
export type SweepSpec = z.infer<typeof sweepSpecSchema>;
