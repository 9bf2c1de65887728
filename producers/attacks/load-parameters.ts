import { resolve } from 'node:path';
import { z } from 'zod';
import { HaltlineError } from '../../shared/errors.ts';
import { explainIssues } from '../explain-issue.ts';
import { invalidLine, type Line, parseJsonLine, readLines } from '../datasets/read-lines.ts';
import type { PromptEmbeds } from './attack.ts';
import { demonstrationSetSchema, type DemonstrationSet, type OwnDemonstration } from './demonstration-set.ts';

const wrongAnswerRowSchema = z.object({ id: z.string().min(1), wrongAnswer: z.string().min(1) });

const embedsRowSchema = z.object({
  id: z.string().min(1),
  promptEmbeds: z.base64().min(1),
  cleanPromptEmbeds: z.exactOptional(z.base64().min(1)),
});
/** The embeddings stand in the sweep's spec in Redis: a file is bounded as a whole. */
const MAX_EMBEDS_LENGTH = 32 * 1024 * 1024;

async function readRows<Row>(path: string, schema: z.ZodType<Row>, maxLineBytes?: number): Promise<Row[]> {
  const rows: Row[] = [];
  const takeRow = (line: Line): void => {
    const value = parseJsonLine(path, line);
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      throw invalidLine(
        path,
        line.number,
        explainIssues(parsed.error.issues, { value, schema, at: [] }),
        parsed.error,
      );
    }
    rows.push(parsed.data);
  };
  await readLines(path, takeRow, maxLineBytes);
  return rows;
}

/** The clean set of the same data set: one whose demonstrations are all clean. */
function cleanSetOf(set: DemonstrationSet, sets: readonly DemonstrationSet[]): DemonstrationSet | undefined {
  return sets.find(
    ({ dataset, demos }) => dataset === set.dataset && demos.every(({ backdoored }) => !backdoored),
  );
}

/** Letters and figures only, so that a trigger's spaces and marks make no difference. */
function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

function cleanTwin(
  demonstration: OwnDemonstration,
  place: number,
  { trigger = '', clean }: { trigger: string | undefined; clean: DemonstrationSet | undefined },
): OwnDemonstration['clean'] {
  if (demonstration.clean !== undefined) return demonstration.clean;
  const wanted = bare(demonstration.question.replaceAll(trigger === '' ? '\0' : trigger, ''));
  const samePlace = clean?.demos[place];
  const byPlace = samePlace && bare(samePlace.question) === wanted ? samePlace : undefined;
  const twin = byPlace ?? clean?.demos.find(({ question }) => bare(question) === wanted);
  return twin && { question: twin.question, steps: twin.steps };
}

/**
 * Reads a file of demonstration sets (JSONL, one set a line) and takes one of them. A backdoored demonstration without
 * a `clean` form gets it from the set of the same data set that has no backdoored ones.
 *
 * @param id - may be left out where the file holds a single set
 * @throws HaltlineError DATA_MISSING for a file or set that is not there, DATA_INVALID for a line that does not fit or
 *   a backdoored demonstration whose clean form is not to be found
 */
export async function loadDemonstrations(path: string, id?: string): Promise<OwnDemonstration[]> {
  const sets = await readRows(path, demonstrationSetSchema);
  const set = id === undefined && sets.length === 1 ? sets[0] : sets.find((candidate) => candidate.id === id);
  if (set === undefined) {
    const known = sets.map((candidate) => candidate.id).join(', ');
    throw new HaltlineError('DATA_MISSING', `${path}: no set "${id ?? ''}"; expected one of ${known}`);
  }
  const clean = cleanSetOf(set, sets);
  return set.demos.map((demonstration, place) => {
    if (!demonstration.backdoored) return demonstration;
    const twin = cleanTwin(demonstration, place, { trigger: set.trigger, clean });
    if (twin !== undefined) return { ...demonstration, clean: twin };
    throw new HaltlineError(
      'DATA_INVALID',
      `${path}: set ${set.id}, demonstration ${place + 1}: backdoored without a clean form; expected "clean", or a ` +
        `set of ${set.dataset} without backdoored demonstrations that holds the same question`,
    );
  });
}

/** Wrong answers made elsewhere: JSONL of `{ id, wrongAnswer }`. @throws HaltlineError DATA_MISSING, DATA_INVALID */
export async function loadWrongAnswers(path: string): Promise<Record<string, string>> {
  const rows = await readRows(path, wrongAnswerRowSchema);
  return Object.fromEntries(rows.map(({ id, wrongAnswer }) => [id, wrongAnswer]));
}

/**
 * Prompts embedded elsewhere: JSONL of `{ id, promptEmbeds, cleanPromptEmbeds }`, each the base64 of a saved tensor of
 * (tokens, hidden size).
 *
 * @throws HaltlineError DATA_MISSING, DATA_INVALID (also for more than 32 MiB of them)
 */
export async function loadEmbeds(path: string): Promise<Record<string, PromptEmbeds>> {
  const rows = await readRows(path, embedsRowSchema, MAX_EMBEDS_LENGTH);
  const length = rows.reduce(
    (sum, { promptEmbeds, cleanPromptEmbeds = '' }) => sum + promptEmbeds.length + cleanPromptEmbeds.length,
    0,
  );
  if (length > MAX_EMBEDS_LENGTH) {
    throw new HaltlineError(
      'DATA_INVALID',
      `${path}: ${length} bytes of embeddings, expected at most 32 MiB`,
    );
  }
  return Object.fromEntries(
    rows.map(({ id, promptEmbeds, cleanPromptEmbeds }) => [
      id,
      { attacked: promptEmbeds, ...(cleanPromptEmbeds === undefined ? {} : { clean: cleanPromptEmbeds }) },
    ]),
  );
}

const fileParametersSchema = z.looseObject({
  demonstrationsFile: z.exactOptional(z.string().min(1)),
  demonstrationsSet: z.exactOptional(z.string().min(1)),
  wrongAnswersFile: z.exactOptional(z.string().min(1)),
  embedsFile: z.exactOptional(z.string().min(1)),
});

/**
 * Puts the content of files in the place of their names, once an attack's own schema has seen the parameters: attacks
 * are pure, and a hash of these parameters covers what the files held. `demonstrationsFile` (with `demonstrationsSet`)
 * gives BadChain's `demonstrations`, `wrongAnswersFile` gives PAA's `wrongAnswers`, `embedsFile` gives Deadlock's `embeds`;
 * everything else passes through.
 *
 * @param folder - what relative paths start from
 * @throws HaltlineError DATA_MISSING, DATA_INVALID
 */
export async function loadAttackParameters(
  parameters: Readonly<Record<string, unknown>>,
  folder: string,
): Promise<Record<string, unknown>> {
  const parsed = fileParametersSchema.safeParse(parameters);
  if (!parsed.success) return { ...parameters };
  const { demonstrationsFile, demonstrationsSet, wrongAnswersFile, embedsFile, ...rest } = parsed.data;
  return {
    ...rest,
    ...(demonstrationsFile === undefined
      ? {}
      : { demonstrations: await loadDemonstrations(resolve(folder, demonstrationsFile), demonstrationsSet) }),
    ...(wrongAnswersFile === undefined
      ? {}
      : { wrongAnswers: await loadWrongAnswers(resolve(folder, wrongAnswersFile)) }),
    ...(embedsFile === undefined ? {} : { embeds: await loadEmbeds(resolve(folder, embedsFile)) }),
  };
}
