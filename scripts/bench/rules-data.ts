import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { createSegmenter } from '../../shared/core/segmentation.ts';
import type { Problem } from '../../shared/schemas/problem.ts';
import type { Channel, Step } from '../../shared/schemas/step.ts';

const chainSchema = z.object({
  id: z.string(),
  dataset: z.string(),
  question: z.string(),
  context: z.string().optional(),
  choices: z.array(z.object({ label: z.string(), text: z.string() })).optional(),
  steps: z.array(z.string()),
  firstError: z.int().nullable(),
  errorType: z.string().optional(),
});
export type LabelledChain = z.infer<typeof chainSchema>;

const traceSchema = z.object({
  id: z.string(),
  model: z.string(),
  condition: z.string(),
  question: z.string(),
  text: z.string(),
  loop: z.object({ start: z.int(), period: z.int(), copies: z.int() }).nullable(),
});
export type Trace = z.infer<typeof traceSchema>;

/** The evaluation data beside the project, or where HALTLINE_DATA_DIR points; undefined when there is none. */
export function findDataDirectory(): string | undefined {
  const directory = resolve(process.env['HALTLINE_DATA_DIR'] ?? '../shared/data');
  return existsSync(join(directory, 'chains')) ? directory : undefined;
}

/** Every set of labelled chains, by file name without its ending. */
export function loadChains(
  directory: string,
  isWanted: (name: string) => boolean = () => true,
): Map<string, LabelledChain[]> {
  const names = readdirSync(join(directory, 'chains')).map((file) => file.replace('.jsonl', ''));
  return new Map(
    names
      .filter(isWanted)
      .sort()
      .map((name) => [
        name,
        readLines(join(directory, 'chains', `${name}.jsonl`)).map((line) => chainSchema.parse(line)),
      ]),
  );
}

export function loadTraces(directory: string): Trace[] {
  const files = ['mip_overthinking', 'cot_overthinking_mmlu_pro', 'reasoning_attack_endless'];
  return files.flatMap((name) =>
    readLines(join(directory, 'traces', `${name}.jsonl`)).map((line) => traceSchema.parse(line)),
  );
}

function readLines(path: string): unknown[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}

/** Long traces of reasoning models on questions that can be answered, without a loop: no rule may speak. */
export function isHealthy(trace: Trace): boolean {
  return (
    trace.loop === null &&
    trace.condition === 'normal' &&
    ['DeepSeek-R1', 'QwQ', 's1.1'].includes(trace.model)
  );
}

export function problemOf(chain: LabelledChain): Problem {
  const choices = (chain.choices ?? []).map(({ label, text }) => `\n${label}) ${text}`).join('');
  const problem = { query: chain.question + choices, asksForSteps: true };
  return chain.context === undefined ? problem : { ...problem, context: chain.context };
}

export function stepsOf(texts: readonly string[], channel: Channel = 'content'): Step[] {
  return texts.map((text, index) => ({ index, channel, text, tokens: 0, endedAtMs: 0 }));
}

/** A text as a live chain: cut into steps as the generation worker cuts them. */
export function cutIntoSteps(text: string, channel: Channel = 'reasoning'): Step[] {
  const segmenter = createSegmenter('haltline');
  const segments = [...segmenter.push(channel, text), ...segmenter.end()];
  return stepsOf(
    segments.map((segment) => segment.text),
    channel,
  );
}
