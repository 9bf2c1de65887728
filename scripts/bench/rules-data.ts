import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { chainRowSchema, type ChainRow } from '../../producers/chains/chain-row.ts';
import { createSegmenter } from '../../shared/core/segmentation.ts';
import type { Channel, Step } from '../../shared/schemas/step.ts';

/** A chain of the labelled sets, read as a sweep over labelled chains reads it. */
export type LabelledChain = ChainRow;

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
        readLines(join(directory, 'chains', `${name}.jsonl`)).map((line) => chainRowSchema.parse(line)),
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

/** The worked solutions of GSM8K as error-free chains, a line a step; empty when the file is not there. */
export function loadRationales(directory: string): LabelledChain[] {
  const path = join(directory, 'questions', 'gsm8k_test.jsonl');
  if (!existsSync(path)) return [];
  return readLines(path).map((line) => {
    const { id, question, answer, rationale } = rationaleSchema.parse(line);
    const lines = rationale.split('\n').filter((step) => step.trim() !== '');
    const steps = [...lines, `The answer is ${answer}.`];
    return { id, dataset: 'gsm8k', question, steps, firstError: null };
  });
}

const rationaleSchema = z.object({
  id: z.string(),
  question: z.string(),
  answer: z.string(),
  rationale: z.string(),
});

const demonstrationsSchema = z.object({
  dataset: z.string(),
  trigger: z.string().optional(),
  demos: z.array(
    z.object({
      question: z.string(),
      steps: z.array(z.string()),
      backdoored: z.boolean(),
      backdoorStep: z.int().optional(),
    }),
  ),
});

/** A published BadChain demonstration; `at` is its backdoor step, undefined in a clean one. */
export interface Demonstration {
  readonly dataset: string;
  readonly trigger: string | undefined;
  readonly question: string;
  readonly steps: readonly string[];
  readonly at: number | undefined;
}

/** Every published demonstration once; empty when the file is not there. */
export function loadDemonstrations(directory: string): Demonstration[] {
  const path = join(directory, 'attacks', 'badchain_demonstrations.jsonl');
  if (!existsSync(path)) return [];
  const distinct = new Map<string, Demonstration>();
  for (const line of readLines(path)) {
    const { dataset, trigger, demos } = demonstrationsSchema.parse(line);
    for (const { question, steps, backdoored, backdoorStep } of demos) {
      const at = backdoored ? backdoorStep : undefined;
      distinct.set(`${dataset} ${question} ${steps.join(' ')}`, { dataset, trigger, question, steps, at });
    }
  }
  return [...distinct.values()];
}
