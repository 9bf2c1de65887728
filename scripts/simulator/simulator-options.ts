import { z } from 'zod';
import { faultTextSchema } from './faults.ts';
import { defaultModels, personalitySchema, susceptibilitySchema } from './personality.ts';

const share = z.number().min(0).max(1);

/** Settings of a simulator; the flags of `haltline simulate` are made from their descriptions. */
export const simulatorOptionsSchema = z.strictObject({
  host: z.string().default('127.0.0.1').describe('Address to listen on'),
  port: z.int().min(0).max(65_535).default(0).describe('Port to listen on; 0 takes a free one'),
  seed: z
    .union([z.string(), z.int()])
    .default(0)
    .describe('What every model writes follows from this seed and the request'),
  answerFiles: z
    .array(z.string())
    .default([])
    .describe('JSONL files of questions with their answers: all that the models know'),
  embeddedPrompts: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      'Values of prompt_embeds, and the text that each stands for: an implanted one with its trigger',
    ),
  models: z
    .record(z.string(), personalitySchema)
    .default(() => z.record(z.string(), personalitySchema).parse(defaultModels))
    .describe('Model names and how each behaves'),
  casesDir: z
    .exactOptional(z.string())
    .describe(
      'Folder of recorded streams; the model case:ID answers with one, byte by byte as it was delivered',
    ),
  timeToFirstTokenMs: z
    .number()
    .nonnegative()
    .default(0)
    .describe('Wait between the headers and the first token'),
  tokensPerSecond: z
    .number()
    .nonnegative()
    .default(0)
    .describe('Speed of each stream; 0 writes as fast as the socket takes it'),
  susceptibility: susceptibilitySchema.describe('Share of prompts, by attack, that a model falls for'),
  wrongShare: share
    .default(1)
    .describe('Share of unknown questions that get a guess, which is mostly wrong; the rest get no answer'),
  errorShare: share.default(0).describe('Share of known questions that get a natural slip'),
  defaultMaxTokens: z.int().positive().default(32_768).describe('Token limit of requests that name none'),
  faults: z
    .array(z.strictObject({ fault: faultTextSchema, share }))
    .default([])
    .describe('Faults that strike a share of the requests, each retry drawn anew'),
  logFile: z.exactOptional(z.string()).describe('Append one JSON line a request to this file'),
  logEntries: z.int().nonnegative().default(2_000).describe('Requests kept in memory for inspection'),
});
export type SimulatorSettings = z.infer<typeof simulatorOptionsSchema>;

/** What one request was and became. Times are Unix epoch milliseconds. */
export const simulatorLogEntrySchema = z.strictObject({
  id: z.string(),
  requestIndex: z.int().nonnegative(),
  receivedAtMs: z.number(),
  closedAtMs: z.number(),
  model: z.string(),
  body: z.unknown(),
  seed: z.number().nullable(),
  messagesHash: z.string(),
  status: z.int(),
  fault: z.exactOptional(z.string()),
  /** Text handed to the socket until it closed: an upper bound of what the client has read. */
  reasoning: z.string(),
  content: z.string(),
  tokensWritten: z.int().nonnegative(),
  finishReason: z.enum(['stop', 'length']).nullable(),
  /** Who ended it: the reply was complete, the client hung up, or a fault struck. */
  closed: z.enum(['finished', 'client', 'fault']),
});
export type SimulatorLogEntry = z.infer<typeof simulatorLogEntrySchema>;
