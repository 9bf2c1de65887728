import { resolve } from 'node:path';
import { hashJson } from '../shared/hash.ts';
import type { SweepDataset } from '../shared/schemas/live-sweep.ts';
import type { ExtractorName, Question } from '../shared/schemas/question.ts';
import type { SweepSpec } from '../shared/schemas/sweep-spec.ts';
import { HaltlineError } from '../shared/errors.ts';
import { builtInPath, defaultExtractor, loadQuestions } from './datasets/load-questions.ts';

/** One data set as a plan needs it. */
export interface PlanDataset {
  readonly id: string;
  readonly extractor: ExtractorName;
  readonly questions: readonly Question[];
}

export interface LoadedDatasets {
  readonly datasets: readonly PlanDataset[];
  /** What was read, left out and taken of each, for `sweep.json`. */
  readonly records: readonly SweepDataset[];
}

/**
 * Loads the data sets of a spec, in its order. A question that an earlier data set holds too (same question, context
 * and choices) is left out and counted: a run is asked once a sweep, whatever the sets overlap.
 *
 * @param folder - what relative paths start from: the folder of the spec
 * @throws HaltlineError DATA_MISSING, DATA_INVALID
 */
export async function loadDatasets(
  spec: Pick<SweepSpec, 'datasets' | 'seed'>,
  folder: string,
): Promise<LoadedDatasets> {
  const seen = new Set<string>();
  const datasets: PlanDataset[] = [];
  const records: SweepDataset[] = [];
  for (const { id, path, extractor, limit } of spec.datasets) {
    const file = path === undefined ? builtInPath(id) : resolve(folder, path);
    const loaded = await loadQuestions(file, { limit, seed: `${String(spec.seed)}/${id}` });
    const questions = loaded.questions.filter((question) => isNew(question, seen));
    if (questions.length === 0) {
      throw new HaltlineError(
        'DATA_MISSING',
        `data set ${id}: earlier data sets hold every question of ${file}`,
      );
    }
    const dataset = { id, extractor: extractor ?? defaultExtractor(questions), questions };
    datasets.push(dataset);
    records.push({
      id,
      sha256: loaded.sha256,
      extractor: dataset.extractor,
      rows: loaded.sampledFrom + loaded.dropped.duplicates,
      duplicates: loaded.dropped.duplicates + loaded.questions.length - questions.length,
      sample: questions.map((question) => question.id),
    });
  }
  return { datasets, records };
}

function isNew({ question, context, choices }: Question, seen: Set<string>): boolean {
  const key = hashJson({ question, context, choices });
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}
