import { closeSync, openSync, readSync } from 'node:fs';
import { createRandom } from '../../shared/core/random.ts';
import { HaltlineError } from '../../shared/errors.ts';
import { sha256 as sha256Of } from '../../shared/hash.ts';
import type { SweepDataset } from '../../shared/schemas/live-sweep.ts';
import { slugSchema } from '../../shared/schemas/sweep-spec.ts';
import { invalidLine, type Line, parseJsonLine, readLines } from '../datasets/read-lines.ts';
import { type ChainRow, chainRowSchema } from './chain-row.ts';

/** A job holds a row's texts twice at most. */
const MAX_ROW_BYTES = 500_000;

/** What is known of a chain beside its text. It stays with the producer: no job holds it, and no monitor sees it. */
export interface ChainLabel {
  readonly id: string;
  readonly dataset: string;
  /** A number of the question: chains of one question have the same. */
  readonly cluster: number;
  readonly firstError: number | null;
  readonly errorType: string | undefined;
  readonly steps: number;
}

/** Labelled chains, numbered from 0 over all files. In memory stand labels and places, no texts. */
export interface ChainFiles {
  readonly labels: readonly ChainLabel[];
  readonly records: readonly SweepDataset[];
  /** Reads a chain from its file. */
  read(chain: number): ChainRow;
  close(): void;
}

interface Row {
  readonly file: number;
  readonly offset: number;
  readonly length: number;
  readonly label: ChainLabel;
}

/**
 * Goes through files of labelled chains once, checking every row, and keeps where each lies. A line that has been there
 * before, in whichever file, is one chain and no more evidence: it is left out, and counted.
 *
 * @param options.limit - chains of each file, at most, sampled by the seed
 * @throws HaltlineError DATA_MISSING, DATA_INVALID (file and line)
 */
export async function openChainFiles(
  paths: readonly string[],
  options: { readonly limit?: number | undefined; readonly seed: string },
): Promise<ChainFiles> {
  const clusters = new Map<string, number>();
  const seen = new Set<string>();
  const rows: Row[] = [];
  const records: SweepDataset[] = [];
  for (const [file, path] of paths.entries()) {
    const own: Row[] = [];
    let duplicates = 0;
    const sha256 = await readLines(path, (line) => {
      const row = parseRow(path, line);
      const hash = sha256Of(line.text.trim());
      if (seen.has(hash)) {
        duplicates += 1;
        return;
      }
      seen.add(hash);
      const label = labelOf(row, clusterOf(row, clusters));
      own.push({ file, offset: line.offset, length: line.length, label });
    });
    const taken = sampleInOrder(own, options.limit, `${options.seed}/${String(file)}`);
    rows.push(...taken);
    records.push(recordOf(path, { sha256, rows: own.length + duplicates, duplicates, taken }));
  }
  if (rows.length === 0) throw new HaltlineError('DATA_MISSING', `no labelled chain in ${paths.join(', ')}`);
  const handles = paths.map((path) => openSync(path, 'r'));
  const labels = rows.map(({ label }) => label);
  return {
    labels,
    records,
    read: (chain) => readRow(rows[chain], paths, handles),
    close: () => handles.forEach((handle) => closeSync(handle)),
  };
}

function parseRow(path: string, line: Line): ChainRow {
  if (line.length > MAX_ROW_BYTES) {
    const problem = `${String(line.length)} bytes long, expected at most ${String(MAX_ROW_BYTES)}`;
    throw invalidLine(path, line.number, problem);
  }
  const parsed = chainRowSchema.safeParse(parseJsonLine(path, line));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const problem = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'no labelled chain'}`;
  throw invalidLine(path, line.number, problem, parsed.error);
}

function clusterOf({ question, context }: ChainRow, clusters: Map<string, number>): number {
  const key = `${context ?? ''}\n${question}`;
  const cluster = clusters.get(key) ?? clusters.size;
  clusters.set(key, cluster);
  return cluster;
}

function labelOf({ id, dataset, firstError, errorType, steps }: ChainRow, cluster: number): ChainLabel {
  return { id, dataset, cluster, firstError, errorType, steps: steps.length };
}

function sampleInOrder(rows: readonly Row[], limit: number | undefined, seed: string): readonly Row[] {
  if (limit === undefined || rows.length <= limit) return rows;
  return createRandom(seed)
    .sample(rows, limit)
    .sort((a, b) => a.offset - b.offset);
}

function recordOf(
  path: string,
  read: {
    readonly sha256: string;
    readonly rows: number;
    readonly duplicates: number;
    readonly taken: readonly Row[];
  },
): SweepDataset {
  const { sha256, rows, duplicates, taken } = read;
  const names = new Set(taken.map(({ label }) => label.dataset));
  const [only] = names;
  const id = names.size === 1 && only !== undefined ? only : slugOf(path);
  const sample = taken.map(({ label }) => label.id);
  return { id, sha256, extractor: 'math', rows, duplicates, sample };
}

function slugOf(path: string): string {
  const name = (path.split(/[\\/]/).at(-1) ?? '').replace(/\.jsonl$/, '').toLowerCase();
  const slug = slugSchema.safeParse(name.replaceAll(/[^a-z0-9._-]/g, '-').slice(0, 63));
  return slug.success ? slug.data : 'chains';
}

/** Synchronous, as a plan is: one read of a few kilobytes of a file that has just been gone through. */
function readRow(row: Row | undefined, paths: readonly string[], handles: readonly number[]): ChainRow {
  const handle = row && handles[row.file];
  if (!row || handle === undefined) throw new RangeError('no such chain');
  const bytes = Buffer.alloc(row.length);
  readSync(handle, bytes, 0, row.length, row.offset);
  const text = bytes
    .toString('utf8')
    .trim()
    .replace(/^\uFEFF/, '');
  const path = paths[row.file] ?? '';
  return chainRowSchema.parse(parseJsonLine(path, { number: 0, text }));
}
