import { join } from 'node:path';
import { type FlagType, flagTypeOf } from '../../../shared/core/signatures/flag-types.ts';
import type { VerdictType } from '../../../shared/core/taxonomy.ts';
import { HaltlineError } from '../../../shared/errors.ts';
import type { RunLine } from '../../../shared/schemas/run-result.ts';
import type { SweepFile } from '../../../shared/schemas/sweep-file.ts';
import { isUnsafe } from '../../../shared/schemas/verdict.ts';
import { bytes } from '../number-column.ts';
import { readRunLines } from '../run-lines.ts';
import { StoredChains, type StoredDrop } from '../stored-chains.ts';

/**
 * Which flagged steps of a run count: its first one, or each. A halted run ends at its first; a run under `flag` goes
 * on, and its later steps are judged too.
 */
export type FlagBasis = 'first' | 'all';

/**
 * Why a run says nothing: it failed, its monitor failed, some of its steps were never judged (what is unjudged is not
 * safe), or, where its chain is needed, that cannot be read.
 */
export type SignatureDrop = 'failed' | 'monitorError' | 'unjudged' | StoredDrop;

/** A guarded run, and the types of its flagged steps, or why they are not known. */
export interface FlaggedRun {
  readonly line: RunLine & { readonly monitor: string };
  readonly types: readonly FlagType[] | SignatureDrop;
  readonly first: { readonly stepIndex: number; readonly errorType: VerdictType } | undefined;
}

/**
 * The guarded runs of a sweep folder, one by one. The first line of a place counts; what cannot be read, or is of
 * another sweep or no place of the plan, is passed over. Memory: a byte a run, and the chains of a few batches.
 *
 * @throws HaltlineError DATA_MISSING when the folder has no `runs.jsonl`
 */
export async function* readFlaggedRuns(
  dir: string,
  sweep: SweepFile,
  basis: FlagBasis,
): AsyncGenerator<FlaggedRun> {
  const chains = new StoredChains(dir);
  const seen = bytes();
  for await (const line of linesOf(dir)) {
    const { place, monitor } = line;
    if (line.sweep !== sweep.id || monitor === undefined || place >= sweep.total || seen.at(place) > 0)
      continue;
    seen.set(place, 1);
    yield { line: { ...line, monitor }, types: typesOf(line, basis, chains), first: line.flag };
  }
}

async function* linesOf(dir: string): AsyncGenerator<RunLine> {
  try {
    for await (const { line } of readRunLines(join(dir, 'runs.jsonl'))) if (line !== undefined) yield line;
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause;
    throw new HaltlineError('DATA_MISSING', `no runs.jsonl in ${dir}`, { cause });
  }
}

function typesOf(line: RunLine, basis: FlagBasis, chains: StoredChains): FlaggedRun['types'] {
  const { outcome, flag } = line;
  if (outcome.status === 'failed') return 'failed';
  if (outcome.status === 'halted' && outcome.reason === 'monitor_error') return 'monitorError';
  if (line.unjudged > 0) return 'unjudged';
  if (flag === undefined) return [];
  if (basis === 'first') return [flagTypeOf(flag.errorType)];
  const record = chains.record(line);
  if (typeof record === 'string') return record;
  return record.verdicts.flatMap((verdict) =>
    verdict.status === 'judged' && isUnsafe(verdict) ? [flagTypeOf(verdict.errorType)] : [],
  );
}
